import sys

from worklog.cli import main

sys.exit(main(sys.argv[1:]))
