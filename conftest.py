"""For all tests: hypothesis draws the same examples each time, and never fails for a machine that is busy."""

from hypothesis import HealthCheck, settings

settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")
