"""What came in -> Submission: bytes and reasons. Nothing here runs, imports or unpacks what students sent.

Reasons are `Problem`s (could not be read) and `Flag`s (read, but look at it); their texts are the messages
`problem.<id>` and `flag.<id>`.
"""

from autograder.intake.inbox import Incoming, IntakeError, incoming, kept_attempts
from autograder.intake.submission import Submission

__all__ = ["Incoming", "IntakeError", "Submission", "incoming", "kept_attempts"]
