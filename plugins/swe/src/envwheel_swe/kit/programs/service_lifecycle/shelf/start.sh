#!/bin/bash
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
exec /usr/bin/python3 -B "$here/server.py" "${1:-$here/service.json}"
