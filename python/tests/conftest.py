"""Fixtures of all tests of the package."""

import boscage
import hypothesis

hypothesis.settings.register_profile(
    "short", max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(hypothesis.HealthCheck)
)
hypothesis.settings.load_profile("short")

# Tests of arrays on a device run where there is one.
collect_ignore = [] if boscage.device_count() else ["cuda"]
