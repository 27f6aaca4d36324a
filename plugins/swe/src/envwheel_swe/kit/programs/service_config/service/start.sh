#!/bin/bash
# Starts the service; see README.md.
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
exec /usr/bin/python3 -B "$here/server.py" "$here/config.json"
