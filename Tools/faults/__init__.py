"""Real faults against a log that several machines share: the scenarios of Tools/shared-faults."""
