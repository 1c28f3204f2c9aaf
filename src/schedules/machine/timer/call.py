# Calls the service: method, address, body and where the answer goes; prints the HTTP status.
import os
import sys
import urllib.error
import urllib.request


class Stay(urllib.request.HTTPRedirectHandler):
    # Follows no redirection, which would take the key elsewhere.

    def redirect_request(self, *rest):
        return None


method, url, body, out = sys.argv[1:5]
headers = {"Authorization": "Bearer " + os.environ["GPU_RENTAL_KEY"], "Content-Type": "application/json"}
request = urllib.request.Request(url, method=method, data=body.encode() or None, headers=headers)
try:
    answer = urllib.request.build_opener(Stay).open(request, timeout=30)
except urllib.error.HTTPError as error:
    answer = error
with open(out, "wb") as file:
    file.write(answer.read())
print(answer.code)
