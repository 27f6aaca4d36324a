#!/usr/bin/env python3
"""Any program that reads a prompt and prints an answer as a model: command:'pipe_model.py PROGRAM ARGUMENTS...'"""

import json
import subprocess
import sys

request = json.load(sys.stdin)
prompt = "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in request["messages"])
ran = subprocess.run(sys.argv[1:], input=prompt, capture_output=True, text=True)
answer = {"text": ran.stdout, "usage": {"input_tokens": len(prompt) // 4, "output_tokens": len(ran.stdout) // 4}}
if ran.returncode:
    answer = {"error": "unavailable", "message": ran.stderr[-500:]}
json.dump(answer, sys.stdout)
