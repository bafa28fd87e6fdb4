"""The lent model, under the names that this room knows it by."""

from vademecum.model import Complete as Complete
from vademecum.model import Message as Message
from vademecum.model import Purpose as Purpose
from vademecum.model import Role as Role
