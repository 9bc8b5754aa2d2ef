"""The lab: attacks on what organisations do, and the classical answer for those who hold a plain table.

The rule here: nothing in this room touches the data of an instance. It works on invented people, or on a file that the
user names.
"""
