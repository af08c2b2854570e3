"""talk.py: sends a message, amends it, undoes that, and prints the events. No server is needed.

    PYTHONPATH=bindings/python SKEIN_LIBRARY=build/libskein.so python3 examples/talk.py sqlite:talk.db
"""
import sys

import skein

with skein.open(sys.argv[1]) as store:
    if not any(w["name"] == "talk" for w in store.call("GET", "/worlds").body["data"]):
        store.call("POST", "/worlds", {"name": "talk"})
    before = store.wait(0, 0)
    chat = f'/worlds/talk/chats/{store.call("POST", "/worlds/talk/chats", {"title": "first"}).body["id"]}'

    def show(when):
        said = store.call("GET", f"{chat}/messages").body["data"]
        print(f"{when}:", *(m["content"] for m in said))

    said = store.call("POST", "/worlds/talk/messages", {"content": "Hello?"}).body
    show("said")
    state = store.call("GET", chat).headers["etag"]
    edit = {"op": "amend", "messageId": said["messageId"], "content": "Anybody?"}
    store.call("POST", f"{chat}/operations", edit, {"If-Match": state})
    show("edited")
    store.call("PUT", f"{chat}/currentThread", {"move": "undo"}, {"If-Match": "*"})
    show("undone")
    try:
        store.call("GET", "/worlds/nowhere")
    except skein.Error as error:
        print("error:", error.status, error)
    for event in store.events(before):
        print("event:", event["type"])
