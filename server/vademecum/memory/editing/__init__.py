"""What a person who edits a memory's file by hand is told and offered, from the text as it stands in the editor.

Everything here is about a text and its name; nothing reads or writes a file. Places are counted in characters of the
text, whatever editor asks.
"""
