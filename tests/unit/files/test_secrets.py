"""What is a secret, what is not, and that looking takes no longer than the text is long."""

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.files.redact import redact
from vademecum.files.secrets import find

PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    "Proc-Type: 4,ENCRYPTED\n"
    "DEK-Info: AES-128-CBC,00\n\n"
    "{}-----END RSA PRIVATE KEY-----"
)
BODY = "MIIEowIBAAKCAQEAabcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL\n"

SECRETS = [
    ("AKIAIOSFODNN7EXAMPLE", "AKIA"),
    ("id = 'ASIAIOSFODNN7EXAMPLE'", "ASIA"),
    ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_"),
    ("github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz", "github_pat"),
    ("glpat-abcdefghij1234567890", "glpat"),
    ("sk-proj-abcdefghij1234567890ABC", "sk-"),
    ("sk-ant-api03-abcdefghij1234567890ABC", "sk-"),
    ("sk_live_abcdefghij1234567890", "sk_live"),
    ("xoxb-123456789012-abcdef", "xoxb"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "AIza"),
    ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "npm_"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl", "eyJ"),
    ("Authorization: Bearer abcdefghijklmnop12345678", "abcdefgh"),
    ("Authorization: Bearer abcdef1234567890", "abcdef12"),
    ("client_secret = 'abcd1234'", "abcd1234"),
    ("access_key=ab12cd34", "ab12cd34"),
    ("Authorization: Basic dXNlcjpodW50ZXIy", "dXNlcjpo"),
    ("https://u:p@h", ":p@"),
    ("postgres://user:s3cret@db:5432/x", "s3cret"),
    ("db.password=hunter2", "hunter2"),
    ("password: hunter2", "hunter2"),
    ("Password = hunter2", "hunter2"),
    ('"password": "hunter2!"', "hunter2"),
    ("dbPassword = 'hunter2'", "hunter2"),
    ("PGPASSWORD=hunter2 psql", "hunter2"),
    ("The password is hunter2.", "hunter2"),
    ("mysql --password hunter2 -u root", "hunter2"),
    ("密码：hunter2", "hunter2"),
    ("密码是hunter2", "hunter2"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalr"),
    ('API_KEY = "0a1b2c3d4e5f6a7b8c9d"', "0a1b"),
    ("apiKey: '0a1b2c3d4e5f6a7b8c9d'", "0a1b"),
    ("'client_secret' => 'abc123def456ghi'", "abc123"),
    ("//packages.example.org/:_authToken=abcdef-1234-5678", "abcdef-1234"),
    ("x;AccountName=x;AccountKey=abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH==;", "abcdefghij"),
    ("İstanbul password=hunter2", "hunter2"),  # a letter that grows when it is lowered
    (PEM.format(BODY * 4), "MIIE"),
    ('key = "' + PEM.format(BODY * 4).replace("\n", "\\n") + '"', "MIIE"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\n" + BODY, "MIIE"),  # cut off
]

HARMLESS = [
    "password: str",
    "def login(password: str | None = None, token: Optional[str] = None):",
    "token = get_token()",
    "use the password manager",
    "Set the password to something with at least 12 characters.",
    "password = os.environ['DB_PASSWORD1']",
    "self.token2 = self.tokens.value1",
    "token = tokens[position1234567]",
    '"password": "{{ vault_password1 }}"',
    "PASSWORD=${DB_PASSWORD1}",
    "export TOKEN=$(cat /run/secrets/x1)",
    "token = token2",
    "max_tokens = 20480000",
    "passwordLength: 12",
    '<input type="password" name="pw1" id="password1">',
    "secretary: anna1234567890",
    'tokenizer = "cl100k_base_2024"',
    "password: required",
    "token: u64",
    "secret_key: bytes32",
    '"token": "your-token-here-123"',
    "the token is 12345abcdef long",
    'access_token_url = "https://x.y/oauth2/token1"',
    "-----BEGIN PRIVATE KEY-----",
    "looks for '-----BEGIN PRIVATE KEY-----' in a file",
    'const secret = await getSecret1("abc")',
    "if token == 'identifier1':",
    "token_type: bearer",
    "token: utf8mb4x1",
    "a bearer of good news for everybody1",
    "secret: sha256",
    "password: ********",
    "password: <your password 1>",
    ".sk-circle-fade-dot-animation-loop { }",
    "private_key_path = '/etc/x1/key.pem'",
    "git clone https://github.com/a/b.git",
    "ssh://git@host:22/path",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 59eb01a0c55ad015a3bf4f1b2b0b822cd15d6c15",
    "密码管理器很好用",
]


@pytest.mark.parametrize(("text", "value"), SECRETS)
def test_secrets_are_found_and_taken_out(text: str, value: str) -> None:
    assert find(text)
    assert value not in redact(text)


@pytest.mark.parametrize(("text", "value"), SECRETS)
def test_secrets_are_found_in_the_middle_of_a_file(text: str, value: str) -> None:
    around = f"import os\n\n# settings\n{text}\nprint('done')\n"
    assert value not in redact(around)
    assert redact(around).startswith("import os\n")
    assert redact(around).endswith("print('done')\n")


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_prose_and_code_is_left_alone(text: str) -> None:
    assert find(text) == ()
    assert redact(text) == text


FRAGMENTS = st.lists(
    st.sampled_from([text for text, _ in SECRETS] + HARMLESS + ["\n", "\r\n", " ", "=", '"', "x", "password", ":"]),
    max_size=8,
)


@settings(max_examples=200, deadline=None)
@given(FRAGMENTS)
def test_redaction_keeps_every_line_and_is_done_in_one_go(fragments: list[str]) -> None:
    text = "".join(fragments)
    findings = find(text)
    for one, next_one in itertools.pairwise(findings):
        assert one.start < one.end <= next_one.start
    clean = redact(text)
    assert clean.count("\n") == text.count("\n")


HOSTILE = [
    "a",
    "eyJ",
    "eyJabcdefghijk.",
    "password=",
    "password",
    'password"  : ',
    "token:",
    "secret_key_",
    "api_key='",
    "://",
    "://a:",
    "://x:y",
    "sk-",
    "Bearer ",
    "Authorization: Basic ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n" + "A" * 17 + "\n",
    "-----BEGIN PRIVATE KEY-----\nVersion: a\n",
    "密码",
    "--password ",
    "İ",
    " ",
    "\\n",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_line_of_a_megabyte_takes_no_longer_than_it_must(piece: str) -> None:
    text = (piece * (1_000_000 // len(piece) + 1))[:1_000_000]
    before = time.monotonic()
    find(text)
    # Hundredths of a second when all is well; a pattern that backtracks would take minutes.
    assert time.monotonic() - before < 60
