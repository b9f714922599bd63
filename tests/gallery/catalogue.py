"""Every exhibit of the gallery: its mistake, where the mistake is, and which check finds it."""

from dataclasses import dataclass
from typing import Literal

Group = Literal["contract", "score", "episode", "tools", "teaching", "signal", "cost"]
Severity = Literal["error", "warning", "info"]

FINDS: dict[str, tuple[str, ...]] = {
    "C102": ("blank_last_row",),
    "C103": ("missing_column",),
    "C110": ("repeated_prompts",),
    "C111": ("ambiguous_prompts",),
    "C112": ("late_system_message",),
    "C120": ("grown_dataset", "shuffled_sums"),
    "C121": ("days_ago", "drawn_by_rank", "local_time", "words_of_a_set"),
    "C122": ("overlapping_splits",),
    "C123": ("lambda_in_state",),
    "C124": ("first_of_three", "longest_option", "longest_sentence", "space_when_true"),
    "C125": ("shown_with_its_answer",),
    "C126": ("file_beside_labels", "file_names_the_bird"),
    "C127": ("numbers_in_words",),
    "C128": ("unread_difficulty",),
    "C130": ("alarm_at_import", "cache_at_import", "seeds_at_import"),
    "S201": ("accented_names", "exits_on_bad_json", "json_is_a_dict"),
    "S202": ("grade_as_text", "precision_of_nothing", "streaming_judge"),
    "S203": ("long_winded", "step_rewards_add_up"),
    "S204": ("eats_the_row", "pops_the_answers"),
    "S205": ("address_pattern", "evaluates_answers"),
    "S210": ("clock_bonus", "tie_breaking_noise", "unseeded_secret"),
    "S211": ("fresh_ids", "novelty_bonus"),
    "S212": ("answers_of_the_last_split",),
    "S220": ("shared_scratch_file",),
    "E302": ("fresh_ids", "unseeded_secret"),
    "E303": ("cart_kept",),
    "E304": ("shared_history",),
    "E306": ("needs_built_dataset",),
    "E307": ("checked_once", "signed_in_for_all"),
    "E311": ("truncated_when_solved",),
    "E312": ("conveyor_circle", "final_offer"),
    "E313": ("closes_once",),
    "E314": ("endless_patience",),
    "E322": ("repeating_log",),
    "E330": ("last_turn_lost",),
    "E331": ("one_path",),
    "T401": ("bare_schema",),
    "T402": ("answer_in_schema",),
    "T410": ("one_city_raises", "other_parameter"),
    "T411": ("prints_a_dict", "returns_a_set", "whole_table"),
    "T412": ("polite_sleep",),
    "T420": ("any_quantity", "unused_parameter"),
    "T421": ("does_it_all",),
    "T422": ("kelvin_refused",),
    "G501": ("brackets_unescaped", "too_few_turns", "trailing_zero", "typo_behind_default"),
    "G502": ("typo_behind_default",),
    "G503": (
        "nothing_fits", "only_false_positives", "short_is_better", "silence_pays", "trailing_comma", "words_counted",
    ),
    "G505": (
        "always_the_second", "any_label_listed", "any_number_listed", "boilerplate", "empty_tags",
        "judge_quotes_the_answer", "mostly_other", "mostly_praise", "nan_is_close",
        "only_false_positives", "small_numbers", "trailing_comma", "words_counted",
    ),
    "G506": ("any_label_listed", "trailing_comma", "words_counted"),
    "G507": ("check_tells_the_answer", "example_is_the_task"),
    "G508": ("half_a_day_off", "nearly_the_year", "precision_only", "strict_spelling", "unit_ignored"),
    "G510": ("form_always_pays", "half_for_trying", "source_with_suffix"),
    "G512": ("lent_unseen", "takes_its_word"),
    "G513": ("upside_down_ratio",),
    "G514": ("answer_beside_itself",),
    "G515": ("accents_folded", "cents_cut_off", "first_of_two_unknowns", "fraction_upside_down", "sorted_as_a_set",),
    "G516": ("number_anywhere",),
    "G517": ("boxed_refused", "tags_refused"),
    "G518": ("unmentioned_hashes", "unmentioned_label"),
    "G519": ("error_names_the_pin", "expected_output_listed", "status_shows_the_row",),
    "G520": ("routed_to_all",),
    "G521": ("key_taken_again", "one_plant_watered",),
    "G522": ("negative_apples", "pays_itself"),
    "G523": ("counted_at_the_end", "writable_stock"),
    "G524": ("exit_code_zero",),
    "G525": ("list_cut_off",),
    "F601": ("all_or_nothing", "whole_division"),
    "F603": ("nine_tenths_for_nothing",),
    "K701": ("heartbeat_thread", "left_descriptor", "workspaces_left"),
    "K710": ("blocking_async", "slow_rows", "waits_in_score"),
    "K711": ("blocking_async",),
    "K720": ("kept_snapshots",),
}  # fmt: skip
"""The exhibits that each check is to find; whatever else it says of them is not looked at."""


@dataclass(frozen=True)
class Exhibit:
    """One environment of the gallery; a sound one has no group, and `mistake` is what looks unusual."""

    name: str
    entry_point: str
    mistake: str
    group: Group | None = None
    row_or_place: str = ""
    severity: Severity | None = None
    found_by: tuple[str, ...] = ()


def _broken(group: Group, path: str, mistake: str, where: str, severity: Severity = "error") -> Exhibit:
    name = path.partition(":")[0]
    found_by = tuple(id for id, names in FINDS.items() if name in names)
    return Exhibit(name, f"tests.gallery.broken.{path}", mistake, group, where, severity, found_by)


def _sound(path: str, odd: str) -> Exhibit:
    return Exhibit(path.partition(":")[0], f"tests.gallery.sound.{path}", odd)


BROKEN = [
    _broken("contract", "shuffled_sums:Sums", "rows are drawn by the unseeded global random", "every build"),
    _broken("contract", "words_of_a_set:WordOrder", "prompts show a set in hash order", "another PYTHONHASHSEED"),
    _broken("contract", "missing_column:Plurals", "the scorer asks for target, the column is answer", "every row"),
    _broken(
        "contract", "overlapping_splits:Products", "test rows are drawn from where training rows are", "test split"
    ),
    _broken("contract", "seeds_at_import:Differences", "seeds the global random", "import", "warning"),
    _broken("contract", "cache_at_import:Roots", "writes a file into the working directory", "import", "warning"),
    _broken("contract", "alarm_at_import:Weekdays", "takes over a signal handler", "import", "warning"),
    _broken("contract", "grown_dataset:Roman", "a second build has every row twice", "second build of an instance"),
    _broken(
        "contract", "ambiguous_prompts:Conversions", "one prompt has three right answers", "every prompt", "warning"
    ),
    _broken("contract", "repeated_prompts:Squares", "the same row several times over", "most rows", "warning"),
    _broken(
        "contract",
        "late_system_message:Numbers",
        "the system message comes after the example",
        "every prompt",
        "warning",
    ),
    _broken("contract", "lambda_in_state:Operations", "cannot be pickled", "constructor", "info"),
    _broken("contract", "blank_last_row:Opposites", "an empty prompt", "last row"),
    _broken("contract", "longest_option:Options", "the right option is the longest", "every row"),
    _broken(
        "contract", "space_when_true:Statements", "prompts of true statements end with a space", "half of the rows"
    ),
    _broken("contract", "shown_with_its_answer:Products", "the examples hold the question itself", "half of the rows"),
    _broken(
        "contract", "file_names_the_bird:Birds", "the name of a file is the answer", "four rows in five", "warning"
    ),
    _broken("contract", "longest_sentence:Sentences", "the right option is the only sentence", "every row"),
    _broken("contract", "first_of_three:SameMeaning", "options that were never shuffled", "every row"),
    _broken(
        "contract", "file_beside_labels:Files", "the name of a file is one of the labels", "five rows in six", "warning"
    ),
    _broken("contract", "numbers_in_words:Tables", "test rows are training rows in other words", "test split"),
    _broken("contract", "local_time:Hours", "rows depend on the time zone", "every row"),
    _broken("contract", "days_ago:Orders", "answers depend on the day", "every row"),
    _broken("contract", "drawn_by_rank:Sums", "rows depend on RANK", "every row"),
    _broken("contract", "unread_difficulty:Additions", "a parameter is never read", "difficulty", "warning"),
    _broken("score", "accented_names:Addresses", "raises on a letter that its table lacks", "row 217 of 361"),
    _broken("score", "precision_of_nothing:Ingredients", "NaN", "an answer without words"),
    _broken("score", "long_winded:Capitals", "falls below its range", "answers over 400 characters"),
    _broken("score", "novelty_bonus:Splits", "the second time scores less", "an answer that came before"),
    _broken("score", "clock_bonus:Letters", "the reward falls with the clock", "every right answer"),
    _broken("score", "tie_breaking_noise:Backwards", "global random noise in the reward", "every answer"),
    _broken("score", "pops_the_answers:Members", "empties the list in the row that it is given", "scoring a row twice"),
    _broken("score", "shared_scratch_file:OneLiners", "parallel = True over one file", "two threads"),
    _broken("score", "address_pattern:FindAddress", "a regex that backtracks endlessly", "30 letters and no @"),
    _broken("score", "exits_on_bad_json:Orders", "sys.exit", "an answer that is not JSON"),
    _broken("score", "streaming_judge:Streamed", "an async generator, which cannot be awaited", "every answer"),
    _broken("score", "answers_of_the_last_split:Minutes", "knows the answers of one split only", "training rows"),
    _broken("score", "grade_as_text:Reviews", "one grade of a table is text", "reject on a comment row"),
    _broken("score", "json_is_a_dict:Contacts", "raises", "an answer that is JSON but not an object"),
    _broken("score", "evaluates_answers:Reach", "evaluates the answer, so that 9**9**9 hangs", "powers"),
    _broken("score", "step_rewards_add_up:Spelling", "step rewards add up to 1.6", "words of six letters and more"),
    _broken("episode", "cart_kept:Cart", "the cart is created once", "second episode of an instance"),
    _broken("episode", "unseeded_secret:ThinkOfANumber", "the secret is not drawn from np_random", "setup"),
    _broken("episode", "shared_history:WordChain", "instances share one list", "two episodes at once"),
    _broken("episode", "conveyor_circle:Conveyors", "step never returns", "row 41 of 60, door 0"),
    _broken("episode", "endless_patience:DaysInOrder", "ends only when solved", "wrong answers", "warning"),
    _broken("episode", "closes_once:SpareParts", "close raises", "closed twice", "warning"),
    _broken("episode", "final_offer:Haggle", "raises on text that is not a number", "third turn"),
    _broken("episode", "truncated_when_solved:Lock", "terminated and truncated are mixed up", "the last step"),
    _broken("episode", "fresh_ids:Tickets", "a replay makes another id, and scores 0", "replay"),
    _broken("episode", "repeating_log:Corridor", "observations double in each turn", "from the second turn", "warning"),
    _broken("episode", "needs_built_dataset:Desks", "its tool needs build_dataset to have run", "a fresh instance"),
    _broken("episode", "eats_the_row:Parcels", "its tool takes from the list in the row", "the same row again"),
    _broken("episode", "checked_once:Pharmacy", "who was looked at is never forgotten", "the next episode"),
    _broken("episode", "signed_in_for_all:Ward", "who is signed in is kept on the class", "all episodes of a process"),
    _broken("episode", "last_turn_lost:Questions", "an answer in the last turn allowed is not scored", "the last turn"),
    _broken("episode", "one_path:Boxes", "one needless look-up loses everything", "every row", "warning"),
    _broken("tools", "one_city_raises:LocalTimes", "raises for one value of its enum", "Delhi"),
    _broken("tools", "returns_a_set:Recipes", "returns a set, which is not JSON", "the tool that gold does not need"),
    _broken("tools", "other_parameter:Tables", "the schema's date is the method's day", "calls with the optional date"),
    _broken("tools", "unused_parameter:Dictionary", "language changes nothing", "translate", "warning"),
    _broken("tools", "does_it_all:CheapestShop", "order without a shop takes the best", "the default of shop"),
    _broken("tools", "answer_in_schema:Meeting", "the schema lists the right answer alone", "get_tools after reset"),
    _broken("tools", "polite_sleep:Warehouse", "a tool sleeps for a second", "unknown items", "warning"),
    _broken("tools", "bare_schema:Bills", "no descriptions", "the schema", "warning"),
    _broken("tools", "prints_a_dict:Timetable", "str() of a dict in one branch", "trains that stop nowhere", "warning"),
    _broken("tools", "any_quantity:SpareOrders", "the count of an order is not scored", "order", "warning"),
    _broken("tools", "kelvin_refused:Stations", "a value of an enum is refused", "temperature", "warning"),
    _broken(
        "tools", "whole_table:Catalogue", "a result over the limit of 100,000 characters", "a short search", "warning"
    ),
    _broken("teaching", "trailing_comma:Explain", "an empty keyword is in every text", "every row"),
    _broken("teaching", "any_label_listed:Routing", "substring match: listing all labels scores", "every row"),
    _broken("teaching", "any_number_listed:Ages", "listing 0 to 100 scores", "every row"),
    _broken("teaching", "small_numbers:Doubles", "the number anywhere in the answer scores", "every row"),
    _broken("teaching", "silence_pays:Months", "saying nothing scores 0.75 of 1", "an empty answer"),
    _broken("teaching", "short_is_better:Squares", "brevity outweighs the task", "an empty answer"),
    _broken("teaching", "only_false_positives:NamesInNotes", "naming nobody scores", "an answer without names"),
    _broken("teaching", "nothing_fits:Salon", "doing nothing scores", "the days without a free hour"),
    _broken("teaching", "example_is_the_task:IsoDates", "the example shows the row's own answer", "every row"),
    _broken(
        "teaching", "check_tells_the_answer:CheckedSums", "the reply to a wrong answer reveals the right one", "check"
    ),
    _broken("teaching", "trailing_zero:Totals", "gold is 2.3 and the scorer wants 2.30", "totals that end in a zero"),
    _broken(
        "teaching", "source_with_suffix:Handbook", "wants .md, which the prompt leaves out", "names_the_page", "warning"
    ),
    _broken("teaching", "form_always_pays:Temperatures", "a part is constant", "valid_json", "warning"),
    _broken("teaching", "words_counted:Summaries", "five words about anything pay", "every row"),
    _broken("teaching", "strict_spelling:Mixing", "an extra space or a small letter is wrong", "near misses", "info"),
    _broken("teaching", "unit_ignored:Distances", "the wrong unit scores", "near misses", "warning"),
    _broken(
        "teaching", "nearly_the_year:Years", "a tolerance of one percent accepts other years", "every row", "warning"
    ),
    _broken("teaching", "half_a_day_off:Arrivals", "twelve hours off scores full reward", "near misses", "warning"),
    _broken(
        "teaching", "precision_only:Multiples", "the first of six scores full reward", "a prefix of gold", "warning"
    ),
    _broken("teaching", "empty_tags:Tagged", "tags around nothing pay 0.7", "form"),
    _broken("teaching", "boilerplate:Confirmations", "gold of other rows scores over 0.9", "similar answers"),
    _broken("teaching", "typo_behind_default:Elements", "a typo in a parameter with a default: always 0", "every row"),
    _broken("teaching", "mostly_other:LogLines", "one label is right on 56 of 59 rows", "the dataset", "warning"),
    _broken("teaching", "mostly_praise:Reviews", "one label is right on 34 of 40 rows", "the dataset", "warning"),
    _broken("teaching", "always_the_second:RiverQuiz", "the right option is always B", "the dataset", "warning"),
    _broken("teaching", "too_few_turns:BoxHunt", "gold needs seven turns and there are six", "rows of six links"),
    _broken(
        "teaching",
        "lent_unseen:Library",
        "saying that there is none scores without a lookup",
        "one row in four",
        "warning",
    ),
    _broken("teaching", "takes_its_word:Tables", "claiming a reservation counts as one", "every row", "warning"),
    _broken("teaching", "upside_down_ratio:Eggs", "a ratio upside down, cut at 1", "efficiency", "warning"),
    _broken("teaching", "brackets_unescaped:CitedFacts", "an unescaped [ in a pattern", "a fifth of it", "warning"),
    _broken("teaching", "half_for_trying:Anagrams", "max(0.5, ...) for min(1, ...)", "letters", "warning"),
    _broken("teaching", "answer_beside_itself:Invoices", "the answer is compared with itself", "currency", "warning"),
    _broken("teaching", "first_of_two_unknowns:Unknowns", "only the first of two numbers is compared", "every row"),
    _broken(
        "teaching",
        "fraction_upside_down:Fractions",
        "the digits of a fraction are sorted before comparing",
        "every row",
    ),
    _broken("teaching", "cents_cut_off:Totals", "int() cuts the cents off both sides", "every row"),
    _broken(
        "teaching",
        "accents_folded:SpanishSpelling",
        "accents are what is asked for, and are folded",
        "words with accents",
    ),
    _broken("teaching", "sorted_as_a_set:Alphabet", "an order is asked for, and sets are compared", "every row"),
    _broken("teaching", "number_anywhere:Larger", "large numbers anywhere in the answer score", "every row"),
    _broken("teaching", "nan_is_close:Roots", "nan is never too far away", "an answer of nan"),
    _broken("teaching", "unmentioned_label:Sums", "a label that no prompt mentions decides the score", "every row"),
    _broken("teaching", "boxed_refused:Sums", "the prompt asks for \\boxed{}, which scores 0", "every row"),
    _broken("teaching", "error_names_the_pin:Vaults", "the error of a wrong PIN has the right one", "any wrong call"),
    _broken(
        "teaching", "expected_output_listed:Files", "the expected output is a file that the tools list", "every row"
    ),
    _broken("teaching", "status_shows_the_row:Helpdesk", "a tool shows the whole row", "status"),
    _broken("teaching", "routed_to_all:Complaints", "every value of an enum in one episode scores", "every row"),
    _broken("teaching", "one_plant_watered:Plants", "calls are counted, and not what they were for", "every row"),
    _broken("teaching", "key_taken_again:Adventure", "a step that is repeated is paid again", "every row"),
    _broken("teaching", "negative_apples:Market", "a negative amount is bought", "buy"),
    _broken("teaching", "pays_itself:Savings", "a negative amount is sent, by a tool that gold leaves alone", "send"),
    _broken("teaching", "counted_at_the_end:Bikes", "DELETE runs, and the scorer counts what is left", "query"),
    _broken("teaching", "tags_refused:Capitals", "refuses the tags that it asks for, and has no solve", "every row"),
    _broken("teaching", "unmentioned_hashes:Change", "#### decides, and no prompt asks for it", "every row"),
    _broken("teaching", "writable_stock:Stock", "UPDATE runs, and the scorer reads the same table", "query"),
    _broken(
        "teaching",
        "judge_quotes_the_answer:JudgedCapitals",
        "a score in the answer is read as the judge's",
        "every row",
    ),
    _broken("teaching", "exit_code_zero:Lines", "code that exits early passes", "every row"),
    _broken("teaching", "list_cut_off:Tables", "what gold needs is cut off in a list", "6 of 42 rows", "warning"),
    _broken("signal", "all_or_nothing:SortForty", "forty numbers, and no partial credit", "every row", "warning"),
    _broken("signal", "nine_tenths_for_nothing:MonthLengths", "wrong answers score 0.9", "every row", "warning"),
    _broken("signal", "whole_division:FiveWords", "// makes the partial credit 0 or 1", "every row", "info"),
    _broken("cost", "left_descriptor:CsvLines", "a file descriptor is left open", "every score"),
    _broken("cost", "heartbeat_thread:Machines", "a thread is left running", "every reset"),
    _broken("cost", "workspaces_left:Workspace", "a folder is left in the temporary directory", "every reset"),
    _broken("cost", "kept_snapshots:Shelves", "a class-level list grows by 36 KB", "every reset", "warning"),
    _broken("cost", "slow_rows:Articles", "building the dataset takes 12 s", "build_dataset", "warning"),
    _broken("cost", "waits_in_score:Acronyms", "scoring sleeps 0.3 s", "every score", "warning"),
    _broken("cost", "blocking_async:JudgedRhymes", "an async scorer blocks the event loop", "every score", "warning"),
]

SOUND = [
    _sound("partial_credit:SortWords", "a quarter for each word in its place"),
    _sound("negative_rewards:Years", "rewards from -1 to 1, as it declares"),
    _sound("half_a_point_lost:Marked", "the class declares the range of the score, and no reward its own"),
    _sound("eight_rounds:Parity", "the turns are the rounds of the game, and solve plays on"),
    _sound("opposite_of_answer:Opposites", "the word 'answer' is a part of the task"),
    _sound("async_judge:Judged", "an async scorer"),
    _sound("three_rows:Tour", "three rows"),
    _sound("long_prompts:LateOrder", "prompts of 13,000 characters that contain the answer"),
    _sound("no_solution_known:Palindromes", "no solve and no column of answers"),
    _sound("several_right:Factors", "many right answers"),
    _sound("stateful_serial:Countdown", "scores with shared state, and says parallel = False"),
    _sound("creative_floor:Verse", "any three lines score a quarter"),
    _sound("yes_no:TrueOrFalse", "a constant answer is right half of the time"),
    _sound("two_options:LongerRiver", "a constant answer is right half of the time"),
    _sound("with_penalties:Definitions", "a penalty of negative weight"),
    _sound("abstains:Quantities", "a part that abstains on a third of the rows"),
    _sound("float_tolerance:Circles", "answers within a percent are all right"),
    _sound("own_split:Powers", "a split of its own, harder than the training rows"),
    _sound("spare_tool:Shop", "a tool that no row needs"),
    _sound("tool_that_fails:PhoneBook", "a tool that fails as a part of the task"),
    _sound("reading:Reading", "answers that are in the prompt"),
    _sound("class_cache:Collatz", "a cache that all instances share"),
    _sound("many_scripts:Scripts", "prompts in twelve scripts"),
    _sound("chat_with_system:PastTense", "a chat prompt with a system message and an example"),
    _sound("one_turn_game:MissingNumber", "a game of one turn"),
    _sound("seeded_opponent:Nim", "an opponent who moves at random, from np_random"),
    _sound("length_counts:Telegrams", "length is half of the score, once the content is right"),
    _sound("large_observation:Manual", "a tool result of 20,000 characters"),
    _sound("one_prompt:TwentyQuestions", "all rows have one prompt"),
    _sound("seeded_trials:Formulas", "a scorer that draws from a random seeded by the row"),
    _sound("rows_on_the_fly:Inventory", "nested columns of a Dataset"),
    _sound("scratchpad:Receipts", "a tool whose calls come to nothing, to note down thoughts"),
    _sound("call_budget:Keys", "calls cost something only from the fourth too many on"),
    _sound("hand_written_schema:Thermostat", "a plain class with call_tool and state"),
    _sound("first_message_from_reset:Chat", "prompts of one system message; `reset` gives the user's"),
    _sound("goal_called_target:Numbers", "a column `target` that is no answer"),
    _sound("answer_with_a_comma:Names", "gold with a comma, whose first words are enough"),
    _sound("wide_tolerance:Distances", "accepts what is within five percent"),
    _sound("not_always_winnable:Stones", "games that cannot be won, as `best_possible` says"),
    _sound("few_seats:Seats", "no more than eight instances at once"),
    _sound("reasoned_gold:Bottles", "gold shows numbers that do not count"),
    _sound("tags_as_data:Records", "tags that are data"),
    _sound("open_them_all:Boxes", "trying every value is the task"),
    _sound("valid_values_listed:Transfers", "an error that lists all values"),
    _sound("higher_lower:Numbers", "the reply after the end says the answer"),
    _sound("examples_of_others:Products", "five examples in each prompt"),
    _sound("roots_in_any_order:Roots", "two numbers that may be swapped"),
]
