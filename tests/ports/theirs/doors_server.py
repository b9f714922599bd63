"""A server of OpenEnv, as its users write one."""

import random
import sys

import uvicorn
from fastapi import FastAPI
from openenv.core.env_server.http_server import HTTPEnvServer
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class Open(Action):
    door: str


class Seen(Observation):
    text: str = ""


class Doors(Environment):
    """One of seven doors leads out; each other one says in which direction it is."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **kwargs):
        self.exit, self._state = random.Random(seed).randrange(1, 8), State(episode_id=episode_id, step_count=0)
        return Seen(text="There are seven doors, from 1 to 7. Open one.", done=False, reward=0.0)

    def step(self, action, timeout_s=None, **kwargs):
        self._state.step_count += 1
        if action.door == str(self.exit):
            return Seen(text="You are out.", done=True, reward=1.0)
        if action.door not in set("1234567"):
            return Seen(text="There is no such door.", done=False, reward=0.0)
        side = "higher" if int(action.door) < self.exit else "lower"
        return Seen(text=f"The number of the right door is {side}.", done=self._state.step_count == 3, reward=0.0)

    @property
    def state(self):
        return self._state


app = FastAPI()
server = HTTPEnvServer(Doors, Open, Seen, max_concurrent_envs=64)
server.register_routes(app)
app.get("/sessions")(lambda: server.active_sessions)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
