"""Finding secrets in text: what memory refuses to keep, and what is taken out of source before it is indexed or shown.

Two kinds of rules. *Shapes* are formats that issuers made recognisable (`ghp_…`, `AKIA…`, a PEM block): rarely wrong.
*Assignments* are a telling name (`password`, `db.token`, `apiKey`), an operator and a value that looks like a secret
rather than like code or prose: a call, a type, a variable, a placeholder or a plain word is none. The balance is
towards few false alarms: `password: str`, `token = get_token()` and "use the password manager" are no secrets.

Text may be hostile, so time is linear in its length: every shape begins with a literal that is searched for first and
is tried only where a word begins, repetition is bounded or possessive, and values end within their line.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

#: How far after `BEGIN` the `END` of a key block is looked for, in characters: a 16,384-bit RSA key is 12.7 KiB.
_MAX_PEM_CHARACTERS = 20_000


@frozen
class Finding:
    """A secret in a text.

    :param rule: what kind, in a word or two; safe to show.
    :param start: index of its first character.
    :param end: index after its last.
    """

    rule: str
    start: int
    end: int


@frozen
class _Shape:
    """A recognisable format: literals of which one must be there, the pattern, whether it must hold a digit."""

    rule: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    group: int = 0
    needs_digit: bool = False


def _shape(rule: str, literals: str, pattern: str, *, group: int = 0, needs_digit: bool = False) -> _Shape:
    return _Shape(rule, tuple(literals.split()), re.compile(pattern), group, needs_digit)


_WORD = r"(?<![A-Za-z0-9_-])"  # a token begins here, so that no run of characters is tried twice

_SHAPES = (
    _shape("api key", "sk-", _WORD + r"sk-[A-Za-z0-9_-]{20,}+", needs_digit=True),
    _shape("stripe key", "_live_ _test_", _WORD + r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+"),
    _shape("webhook secret", "whsec_", _WORD + r"whsec_[A-Za-z0-9+/=]{16,}+"),
    _shape("github token", "ghp_ gho_ ghu_ ghs_ ghr_", _WORD + r"gh[pousr]_[A-Za-z0-9]{20,}+"),
    _shape("github token", "github_pat_", _WORD + r"github_pat_[A-Za-z0-9_]{20,}+"),
    _shape("gitlab token", "glpat-", _WORD + r"glpat-[A-Za-z0-9_.-]{20,}+"),
    _shape("aws key", "AKIA ASIA", r"(?<![A-Za-z0-9])A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("slack token", "xox xapp-", _WORD + r"(?:xox[abeprs]|xapp)-[A-Za-z0-9-]{10,}+"),
    _shape("slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9+/]{20,}+"),
    _shape("google key", "AIza", _WORD + r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    _shape("google token", "ya29. GOCSPX-", _WORD + r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}+"),
    _shape("npm token", "npm_", _WORD + r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _shape("pypi token", "pypi-", _WORD + r"pypi-[A-Za-z0-9_-]{50,}+"),
    _shape("hugging face token", "hf_", _WORD + r"hf_[A-Za-z0-9]{30,}+"),
    _shape("sendgrid key", "SG.", _WORD + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    _shape("digitalocean token", "dop_v1_ doo_v1_", _WORD + r"do[op]_v1_[a-f0-9]{64}"),
    _shape("vault token", "hvs. hvb.", _WORD + r"hv[sb]\.[A-Za-z0-9_-]{24,}+"),
    _shape("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}+"),
    _shape("jwt", "eyJ", _WORD + r"eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]{8,}+)"),
    _shape(
        "storage key",
        "AccountKey SharedAccessKey",
        r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{32,}+={0,2})",
        group=1,
    ),
    _shape("password in url", "://", r"://[^\s/:@\"'<>\\]{0,256}+:([^\s/@\"'<>{}$\\]{1,256}+)@", group=1),
    _shape(
        "bearer token",
        "earer EARER",
        r"\b(?:[Bb]earer|BEARER)[ \t]{1,8}+([A-Za-z0-9._~+/=-]{16,}+)",
        group=1,
        needs_digit=True,
    ),
    _shape(
        "basic credentials",
        "asic ASIC",
        r"[Aa]uthorization[\"']?[ \t]{0,8}+[:=,][ \t]{0,8}+[\"']?(?:[Bb]asic|BASIC)[ \t]{1,8}+([A-Za-z0-9+/=]{8,}+)",
        group=1,
    ),
)

_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# What may stand between the header and the key: line ends, also written as escapes or joined strings, and headers.
_PEM_BODY = re.compile(
    r"(?:(?:\\[nr]|[\s\"'+,>|#*/])*+(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n\\]{0,200}+))*+"
    r"(?:\\[nr]|[\s\"'+,>|#*])*+((?:[A-Za-z0-9+/=]{16,}+(?:\\[nr]|[ \t\r\n\"'+,>|#*])*+)++)"
)

# The longest words first, so that `secret_access_key` is not taken for a `secret` whose name goes on.
_PASSWORD_STEMS = ("password", "passwd", "passphrase", "passcode", "pwd")
_PASSWORD_STEMS_ELSEWHERE = ("密码", "密碼", "口令", "パスワード", "비밀번호", "пароль")
_TOKEN_STEMS = (
    "secret",
    "token",
    "api_key",
    "api-key",
    "apikey",
    "access_key",
    "access-key",
    "accesskey",
    "private_key",
    "private-key",
    "privatekey",
    "signing_key",
    "encryption_key",
    "credential",
)
_STEMS = _PASSWORD_STEMS + _PASSWORD_STEMS_ELSEWHERE + _TOKEN_STEMS

# After the stem: what may complete the name, then quotes and brackets, the operator, and the value.
_REST = re.compile(
    r"(?i)(?:s|(?:_|-)?(?:access)?(?:_|-)?(?:key|token|value|hash|base|dev|prod|test|staging))?+(?:_?[0-9]{1,2})?+"
    r"[\"'`\]]{0,2}+[ \t]{0,8}+(?:(?::=|=>|[:=：＝](?![=~]))|(?P<words>\b(?:is|was)\b|[是为為は]))[ \t]{0,8}+"
    r"(?:[bruBRU]{0,2}+(?P<quote>[\"'`])(?P<quoted>[^\"'`\n\r]{1,256}+)(?P=quote)"
    r"|(?P<bare>[^\s\"'`,;)}\]<>&|]{1,256}+))"
)
_OPTION = re.compile(r"(?:=|[ \t]{1,4}+)[\"']?(?P<bare>[^\s\"'`,;)}\]<>&|]{1,256}+)")

_PLACEHOLDER = re.compile(
    r"(?i)^[<{\[$%@*&#!(]|^\W*$|\$\{|\{\{|%\(|x{4,}|\.\.\.|…|^(?:your|my|some|xxx|example)|[_.-](?:here|example)\b"
    r"|change_?me|placeholder|redacted|dummy|^(?:todo|tbd|none|null|nil|true|false|undefined)\b"
)
_DOTTED_NAME = re.compile(r"[A-Za-z_$][\w$]*+(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*+)++(?:\[.*)?")
_NAME = re.compile(r"[A-Za-z_$][\w$]*+")
_INDEXED_NAME = re.compile(r"[A-Za-z_$][\w$.]*+\[")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[^\W\d_]")
_NEITHER_LETTER_NOR_JOINER = re.compile(r"[^\w.\- ]|\d")
_TYPE = re.compile(
    r"(?i)(?:u?int|float|bytes?|str|char|uint\d+array|int\d+array|base|sha|md|utf|aes|rsa|hmac|[iuf])-?\d{1,4}\w{0,8}"
)
_PATH = re.compile(r"(?:\.{0,2}/|~/|[a-z]+://)\S*")


def find(text: str) -> tuple[Finding, ...]:
    """Return the secrets in `text`, in order, none overlapping another."""
    found = [*_pem_blocks(text), *_shapes(text), *_assignments(text)]
    return _merged(found) if found else ()


def _shapes(text: str) -> Iterator[Finding]:
    for shape in _SHAPES:
        if not any(literal in text for literal in shape.literals):
            continue
        for match in shape.pattern.finditer(text):
            value = match[shape.group]
            if not shape.needs_digit or _DIGIT.search(value):
                yield Finding(shape.rule, *match.span(shape.group))


def _pem_blocks(text: str) -> Iterator[Finding]:
    if "PRIVATE KEY" not in text:
        return
    done = 0
    for begin in _PEM_BEGIN.finditer(text):
        if begin.start() < done:
            continue
        body = _PEM_BODY.match(text, begin.end(), begin.end() + _MAX_PEM_CHARACTERS)
        if body is None:  # only the header: somebody talks about keys
            continue
        end = _PEM_END.match(text, body.end())
        done = end.end() if end is not None else body.end(1)
        yield Finding("private key", begin.start(), done)


def _assignments(text: str) -> Iterator[Finding]:
    folded = text.lower()
    if len(folded) != len(text):  # a few letters grow when lowered, and places would not agree
        folded = "".join(lower if len(lower := character.lower()) == 1 else character for character in text)
    for stem in _STEMS:
        looks: Callable[[str, bool, str], bool]
        looks = _looks_like_token if stem in _TOKEN_STEMS else _looks_like_password
        place = folded.find(stem)
        while place >= 0:
            after = place + len(stem)
            finding = _assigned(text, folded, stem, place, after, looks)
            if finding is not None:
                yield finding
                after = max(after, finding.end)
            place = folded.find(stem, after)


def _assigned(
    text: str, folded: str, stem: str, place: int, after: int, looks: Callable[[str, bool, str], bool]
) -> Finding | None:
    match = _REST.match(text, after)
    if match is not None:
        if match["words"] and stem in _TOKEN_STEMS:  # "the token is …" is prose far more often than not
            return None
        group = "quoted" if match["quoted"] is not None else "bare"
        if group == "bare" and text[match.end() : match.end() + 1] in ("(", "["):
            return None
    else:
        if not folded[max(0, place - 12) : place].rpartition(" ")[2].startswith("--"):
            return None
        match = _OPTION.match(text, after)
        if match is None:
            return None
        group = "bare"
    value = match[group]
    start = match.start(group)
    if group == "bare":
        value = value.rstrip(".:!?…" if match.re is _REST and match["words"] else ".:")
    if not looks(value, group == "quoted", stem):
        return None
    return Finding("password" if stem not in _TOKEN_STEMS else "secret value", start, start + len(value))


def _looks_like_password(value: str, quoted: bool, stem: str) -> bool:
    if len(value) < 5 or not _NEITHER_LETTER_NOR_JOINER.search(value) or _is_no_value(value, quoted, stem):
        return False
    return not value.isdigit() or len(value) >= 6


def _looks_like_token(value: str, quoted: bool, stem: str) -> bool:
    least = 10 if stem == "token" else 8  # short tokens are kinds, dialects and versions more often than not
    if len(value) < least or not _DIGIT.search(value) or not _LETTER.search(value):
        return False
    return not _is_no_value(value, quoted, stem)


def _is_no_value(value: str, quoted: bool, stem: str) -> bool:
    if " " in value or _PLACEHOLDER.search(value) or _PATH.fullmatch(value) or _TYPE.fullmatch(value):
        return True
    if quoted:
        return stem in value.lower() and _NAME.fullmatch(value) is not None
    if "(" in value or _DOTTED_NAME.fullmatch(value) or _INDEXED_NAME.match(value):
        return True
    return _NAME.fullmatch(value) is not None and stem in value.lower()


def _merged(found: Sequence[Finding]) -> tuple[Finding, ...]:
    merged: list[Finding] = []
    for finding in sorted(found, key=lambda item: (item.start, -item.end)):
        if merged and finding.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Finding(last.rule, last.start, max(last.end, finding.end))
        else:
            merged.append(finding)
    return tuple(merged)
