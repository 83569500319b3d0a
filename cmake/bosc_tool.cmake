# libboscage_io and the command-line tool.
