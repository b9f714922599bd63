"""`hotel-v1`: a model searches hotels, books the one that fits a request best, and names it."""

from grpo_env_hotel.env import HotelEnv

__all__ = ["HotelEnv"]
