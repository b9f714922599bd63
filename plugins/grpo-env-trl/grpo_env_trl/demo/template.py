"""How the demo model reads a conversation: ChatML, tools as `name(argument, ...)`, calls in Qwen3's form."""

START, END = "<|im_start|>", "<|im_end|>"
CALL, CALL_END = "<tool_call>", "</tool_call>"
ROLES = ("system", "developer", "user", "assistant", "tool")

CHAT_TEMPLATE = """
{%- macro text_of(content) -%}
  {%- if content is string -%}{{ content }}
  {%- else -%}{%- for part in content or [] -%}{{ part.text or '' }}{%- endfor -%}{%- endif -%}
{%- endmacro -%}
{%- macro call_of(function) -%}
  {{- '<tool_call>\\n{"name": ' + function.name | tojson + ', "arguments": ' -}}
  {{- function.arguments if function.arguments is string else function.arguments | tojson -}}
  {{- '}\\n</tool_call>' -}}
{%- endmacro -%}
{%- if tools -%}
  {{- '<|im_start|>system\\n' -}}
  {%- for tool in tools -%}
    {{- tool.function.name + '(' + ((tool.function.parameters or {}).properties or {}) | join(', ') + ')\\n' -}}
  {%- endfor -%}
  {%- if messages[0].role == 'system' -%}{{ text_of(messages[0].content) }}{%- endif -%}
  {{- '<|im_end|>' -}}
{%- endif -%}
{%- for message in messages -%}
  {%- if not (tools and loop.first and message.role == 'system') -%}
    {{- '<|im_start|>' + message.role + '\\n' -}}
    {%- if message.role == 'assistant' -%}
      {%- generation -%}
        {{- text_of(message.content) -}}
        {%- for call in message.tool_calls or [] -%}{{ call_of(call.function or call) }}{%- endfor -%}
        {{- '<|im_end|>' -}}
      {%- endgeneration -%}
    {%- else -%}
      {{- text_of(message.content) + '<|im_end|>' -}}
    {%- endif -%}
  {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}
"""

RESPONSE_TEMPLATE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "tool_calls": {
            "open": CALL,
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}
