"""The agent face: the tools over the Model Context Protocol, on standard input and output.

The only room that knows the official SDK (the extra `mcp`). `server` is a connection from start to end, `folders` which
folders it is about, `running` a call on a thread, `shapes` tools and answers as the protocol has them, `stdio` frames,
`refusing` what is answered to lines that are no messages.
"""
