"""Whether each first schema accepts no more than the second: one pair of JSON schemas a line, one answer a line."""

import json
import sys

from jsonsubschema import isSubschema

for line in sys.stdin:
    first, second = json.loads(line)
    try:
        answer = bool(isSubschema(first, second))
    except BaseException as error:  # What it cannot answer it ends in all kinds of ways.
        answer = f"{type(error).__name__}: {str(error)[:200]}"
    print(json.dumps(answer), flush=True)
