"""The cue gate: which messages may hold something worth keeping. It is deterministic, and it asks no model.

A message passes when one of its sentences shows a cue. The patterns are a table by language; to add one, add a row and
lines in it to tests/bench/capture. All rows are tried on every message, since people mix languages. Whether a cue was
right is for the stages behind to say: what is missed here is lost, what is let through costs one question to a model.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache


class Cue(StrEnum):
    """What in a message makes it worth looking at."""

    PREFERENCE = "preference"
    IDENTITY = "identity"
    CORRECTION = "correction"
    PROJECT = "project"
    EXPLICIT = "explicit"


#: Characters of a message that are looked at, from its beginning and from its end: what is longer is mostly pasted.
LOOKED_AT = 2_000

#: What people say of themselves about the moment, which nobody needs to know next week.
_EN_MOMENT = (
    "get|got|see|saw|think|thought|guess|believe|wonder|hope|mean|need|want|would|could|can|can't|cannot|don't|do|didn't|did"
    "|tried|try|ran|run|start|found|find|have|had|just|was|wasn't|were|will|won't|should|shouldn't|must|may|might|made|wrote"
    "|understand|understood|call|open|click|pass|forgot|remember|said|set|put|also|then|still|now|never|am|haven't|hadn't|if"
    "|know|like|suspect|assume|suppose|expect|sent|took|lost|left|built|read|hit|cut|went|came|gave|doubt|and|or|to"
)
_ZH_MOMENT = (
    "们|想|要|看|觉得|认为|猜|需要|启动|遇到|试|改|加|删|运行|跑|不明白|不懂这|没|不记得|自己|得到|报|刚才|刚刚改|该|应该|可以|能"
    "|怎么|在(?:找|看|调|改|写|跑|试)|收到|发现|点|打开|装|提交|这|那|的|把|又|再|也|就|先|还|才|不知道|不太确定|不确定|不用"
)

#: By language, then by cue: regular expressions, tried on one sentence in lower case. In a question only those of the
#: explicit kind are tried, and those that are marked as requests by a leading `?`.
TABLE: Mapping[str, Mapping[Cue, Sequence[str]]] = {
    "en": {
        Cue.EXPLICIT: (
            r"(?:^|[,;:] ?|\b(?:please|also|and|but|so|always|must|should|to|could you|can you|now|just) )remember\b"
            r"(?! (?:when|how we|what we))",
            r"\b(?:don't|do not|never) (?:you )?forget\b",
            r"\b(?:keep|bear) (?:this |that |it )?in mind\b",
            r"\b(?:make|take) (?:a )?(?:mental )?notes?\b",
            r"^(?:please )?note (?:that|down|for)\b",
            r"\bfor (?:your |the )?(?:future|later|next|record|records)\b ?(?:reference|time|sessions?|chats?)?",
            r"\b(?:save|store|add|put|write|keep|commit) .{0,60}\b(?:memory|memories)\b",
            r"\bmemori[sz]e\b",
        ),
        Cue.PREFERENCE: (
            r"\bi(?:'d| would| do)? (?:\w+ly |always |never |also |much |just )*"
            r"(?:prefer|hate|dislike|love|enjoy|favou?r|rather)\b",
            r"\bi like (?!this\b|that\b|it\b|your\b|the idea)",
            r"\bi (?:always|never|usually|generally|normally|typically|mostly|only|tend to)\b",
            r"\bi (?:don't|do not|can't|cannot|won't) (?:really |ever )?(?:like|want|stand|need|use|care for|read)\b",
            r"\bi want (?:you to (?:always|never)|all|every|no|only)\b",
            r"\bmy (?:own |personal )?(?:favou?rite|preferred|preferences?|style|habit|usual|taste|workflow|go-to)\b",
            r"\bi(?:'m| am) (?:not |no |really |a )*(?:an? )?(?:big |huge )?(?:fan of|used to|into)\b",
            r"\b(?:that's|that is|this is) how i\b",
            r"\b(?:please|pls) (?:\w+ )?(?:don't|do not|never|always|stop|avoid|only|no)\b",
            r"^(?:and |but |so |also )?(?:don't|do not|never|always|avoid|no more)\b(?! mind\b| worry\b| bother\b)",
            r"^(?:please )?stop \w+ing\b",
            r"\bdon't ever\b",
            r"?\b(?:could|can|would|will) you (?:please )?(?:stop \w+ing|always|never|not|keep|avoid)\b",
            r"\b(?:from now on|from here on|going forward|in (?:the )?future|any ?more from you)\b",
            r"?\b(?:every|each|next) time\b|\bwhen(?:ever)? you (?:write|show|make|create|answer|explain|add|edit|"
            r"change|give|use|commit|propose|refactor|name)\b",
            r"\b(?:less|fewer) [\w ]{2,20},? (?:and )?more \w+",
            # A demand that is made of more than the case at hand.
            r"[,;:] ?(?:but )?(?:not|never|no|only|without|always|instead) \w+.*\w",
            r"\b(?:everything|everywhere|elsewhere|anything (?:beyond|above|else|that)|at most|at least|no more than"
            r"|by default|as a rule|in general|wherever|one at a time)\b",
            r"^prefer \w+|\b\w+ (?:always|never) \w+s\b",
            r"\bfirst\b.{0,40}\b(?:then|after|later|before|last)\b",
        ),
        Cue.IDENTITY: (
            r"\bi(?:'m| am) (?!an? (?:bit|little|few)\b)(?:an?|the|one of|new to|based|living|from|responsible"
            r"|in charge|on the|fluent|learning|colou?r|blind|deaf|dyslexic|left-handed|mostly|mainly)\b",
            r"\bmy (?:\w+ ){0,2}(?:name|role|job|title|position|background|native language|mother tongue|time ?zone"
            r"|pronouns|team|boss|manager|company|employer|laptop|machine|keyboard|screen|editor|shell) (?:here )?"
            r"(?:is|are|runs|uses)\b",
            r"\bcall me\b",
            r"\bi(?:'ve| have) (?:been (?:writing|working|coding|programming|using|doing|developing|an?)"
            r"|worked|never (?:used|written|worked|done|touched)|\w+ years)\b",
            r"\bi (?:work|live|study|teach|lead|manage|maintain|own|speak|moved|specialise|specialize)\b",
            r"^as an? [\w -]{2,40},? i\b",
            r"\bi know (?:nothing|little|no|very little|almost nothing)\b",
            r"\bthis is my first\b",
            r"\bi have (?!an?\b|to\b|the\b|no\b|this\b|that\b|been\b|some\b|one\b|two\b|three\b|\d|\w+ed\b|tests?\b|"
            r"problems?\b|trouble|issues?\b|questions?\b|errors?\b|changes?\b)\w+",
            r"\bthis (?:year|quarter|month) (?:i|we)\b",
            # Whatever one says of oneself as a habit or a state, the doings of the moment aside.
            rf"\bi (?!(?:{_EN_MOMENT})\b)(?!\w+ed\b)[a-z]+ (?!it\b|this\b|that\b)\w+",
            r"\bi(?:'m| am) (?!\w+ing\b|(?:not |really |very |pretty |quite )*(?:sure|stuck|confused|lost|sorry|done|ok"
            r"|okay|fine|here|back|afraid|happy|glad|unable|able|so|a bit|a little|on line|at line|ready)\b)\w+",
            r"\b(?:my|our) (?!code\b|test|build|error|function|change|last|branch|commit|patch|problem|question|idea"
            r"|bug)(?:[\w-]+ ){1,3}"
            r"(?:is|are|uses?|runs?|lives?|starts?|goes|has|have|keeps?|takes? me|likes?|only|must)\b",
            r"\b(?:i|me|my|we) .{0,40}\b(?:allergic|vegetarian|vegan|deadlines?|holidays?|weekends?|mornings?"
            r"|evenings?)\b",
        ),
        Cue.CORRECTION: (
            r"^(?:no|nope|wrong|incorrect)\b[,.!:;]* (?:again\b|that|this|it|the\b|you\b|we\b|not\b|i (?:said|meant))",
            r"^(?:no|nope)?[,.!]? ?wrong\b",
            r"\b(?:that's|that is|it's|this is|you're|you are|you were) (?:just |still |simply |again )*"
            r"(?:wrong|incorrect|mistaken|not (?:true|right|correct|how|what|the way|our))\b",
            r"\bactually,? (?:we|it|that|this|the|they|our|i(?!'d)|you)\b",
            r"\byou (?:keep|kept|still|always|forgot|ignored|misread|misunderstood|got)\b",
            r"\byou (?:should(?:n't| not| have| never)|were supposed|weren't supposed|must not|mustn't)\b",
            r"\bi (?:already |have |had )*(?:told|said|asked|meant)\b",
            r"\bnot (?:an? |the )?[\w.-]+[,;:] ?(?:but |it's |it is )?(?:an? |the )?[\w.-]+\W*$",
            r"\b(?:it's|it is|they're|they are|that's) (?:now )?(?:called|named)\b",
            r"\b(?:any ?more|no longer|used to be|replaced by|renamed to|instead of)\b",
        ),
        Cue.PROJECT: (
            r"\bwe(?:'ve| have|'ll| will)? (?:always |never |only |all |usually |now |no longer |don't |do not |still |"
            r"mostly |also |just |already )*(?:use|decided|agreed|chose|follow|deploy|release|ship|merge|squash|rebase|"
            r"write|keep|store|call|name|host|run on|rely|require|support|target|avoid|prefer|moved|switched|migrated|"
            r"have to|must|stick|settled|went with|go with|do not allow|format|version|tag|branch|test|log|pin)\b",
            r"\bwe(?:'re| are) (?:\w+ing (?:from|to|off|away)|using|on|not allowed|required|stuck)\b",
            r"\bour (?:[\w-]+ ){0,4}(?:is|are|must|should|has|have|uses?|runs?|lives?|starts?|goes|go|says|expects?)\b",
            r"\b(?:in|for|across|throughout) (?:this|our) (?:project|repo|repository|code ?base|monorepo|service|team|"
            r"company|app|package)\b",
            r"\bthis (?:project|repo|repository|code ?base|service|app|package|library) (?:is|uses|has|must|targets|"
            r"supports|belongs|follows|runs)\b",
            r"\b(?:the|our) (?:team|company|convention|policy|rule|standard|guidelines?|style guide|agreement|product "
            r"owner|client|customer)s? (?!test)\w+",
            r"\b(?:must|may|should|shall) (?:not|never|always|only|stay|remain|have|be)\b",
            r"\b(?:is|are) (?:owned|maintained|deprecated|frozen|forbidden|mandatory|required|reserved|off limits|"
            r"not allowed|never|always|only|managed|reviewed|kept|stored|handled)\b",
            r"\b(?:owns?|belongs? to|is in charge of|is responsible for|takes care of)\b",
            r"\b(?:on|every|each) (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
            r"\b(?:every|each) (?:night|week|month|release|sprint|quarter|year|endpoint|module|service|commit)\b",
            r"\b\w+s (?:happen|go out|run|live|are done|take place|keep|stay)\b",
            r"\bask [\w ]{2,20} (?:before|first)\b",
            r"^(?:every|all|each|any) (?!time\b)[\w ]{3,40}? (?:is|are|has|have|gets?|goes|go|must|needs?|comes?)\b",
            r"\b(?:that|this|the) (?:rule|convention|policy) \w+",
        ),
    },
    "zh": {
        Cue.EXPLICIT: (
            r"(?<![没不])记住",
            r"记(?:下来|一下|下这|在心)|做个(?:笔记|记录)|备忘",
            r"(?<![不没还])记得(?!.{0,30}[吗么])",
            r"(?:别|不要|不能)忘(?:了|记)?",
            r"(?:存|写|加|放|保存|添加)(?:到|入|进).{0,4}记忆",
            r"牢记|谨记",
        ),
        Cue.PREFERENCE: (
            r"我(?:们)?(?:个人|更|比较|最|很|还是|一般|通常|平时|特别|非常|真的|也|一直|都)*"
            r"(?:喜欢|偏好|偏爱|偏向|倾向|习惯|讨厌|不喜欢|不爱|受不了|反感|希望|宁愿|宁可|不希望)",
            r"我(?:一般|通常|总是|从不|从来|平时|只(?!是)|一向|不想(?:再|看到|要))",
            r"我(?:不想|不要|不用|不看|只看|想要)(?:任何|你|再)?",
            r"以后|从现在(?:起|开始)|今后|往后|下次|每次|一律|永远|始终|务必|尽量|总是要",
            r"^(?:请|麻烦)?(?:你)?(?:千万)?(?:不要|别|不许|不准|禁止|避免|停止|切勿|少)(?!紧|客气|担心|管|急|介意|了|说了)",
            r"(?:请|麻烦)(?:你)?(?:都|总是|一直|只|统一)",
            r"(?:宁愿|宁可|比起)",
            # A demand that is made of more than the case at hand.
            r"先.{1,15}[,]? ?(?:再|后)|超过.{1,12}就|最多|至少|不超过|能.{1,8}就|优先|默认|凡是|所有(?!的?测试都)",
            r"[,] ?(?:不要|别|不用|不许|只要|只用|不能)(?!紧|了)",
        ),
        Cue.IDENTITY: (
            r"我是(?!说|指|不是|想|怎么|在|否|要)",
            r"我(?:叫|姓)",
            r"我(?:住|在)[^,;。]{1,12}(?:工作|上班|生活|办公|读书|上学|住)|我住",
            r"我的(?:名字|职位|角色|工作|岗位|职务|职业|时区|背景|母语|专业|团队|电脑|主力|编辑器|经验)",
            r"作为.{2,15}?,? ?我",
            r"我(?:做|写|用|学|搞|干)了.{0,6}年|我有.{0,6}年",
            r"我(?:主要|目前|现在)?(?:负责|从事|管理|带|维护|毕业)",
            r"我(?:主要|平时|只)(?:写|用|做|会)",
            r"我(?:才|刚|刚刚|第一次)(?:开始)?(?:学|接触|用|写|入门|转)",
            r"(?:我|完全|几乎|都)(?:不太|不)(?:懂|熟悉|会|了解)",
            r"我们(?:组|团队|公司|部门)",
            # Whatever one says of oneself as a habit or a state, the doings of the moment aside.
            rf"(?<![帮给让叫跟对请为和])我(?!{_ZH_MOMENT}).{{2,}}",
            r"(?:女儿|儿子|妻子|丈夫|家里|孩子|同事|老板|过敏|私人的?|今年(?!的))",
            r"^用的是",
        ),
        Cue.CORRECTION: (
            r"^(?:不对|错了|不是的|不,)",
            r"不是[^,;]{1,20}[,;] ?(?:而)?是",
            r"(?:弄|搞|写|说|理解|记|做|改|用|算)错",
            r"其实",
            r"(?:我|跟你|之前|早就|已经)(?:已经|都|早)?(?:说|讲|告诉|提)过",
            r"你(?:又|总是|老是|还是|一直|怎么又|不该|不应该|应该先|忘了|误解)",
            r"(?:早就|已经|现在)(?:不|改|换)",
            r"(?:不是|不应该)这(?:样|么)|应该是",
        ),
        Cue.PROJECT: (
            r"(?:我们|咱们)(?!在哪|怎么|为什么|试试).{0,12}"
            r"(?:用|采用|统一|只|都|必须|规定|约定|决定|不用|一律|遵循|发布|部署|规范|惯例|要求|习惯|禁止|支持|存)",
            r"团队|公司|(?:本|这个|该|我们的?)(?:项目|仓库|服务|代码库|产品|系统)(?!的?测试)",
            r"规范|规定|约定|惯例|原则上|按规矩|规矩",
            r"(?:必须|不许|不准|不得|一律|统一|不允许|禁止|不能动|不要动)",
            r"从.{1,20}(?:迁移|迁到|换成|换到|改成|切换|升级)",
            r"(?:归|由).{1,12}(?:管|负责|审核|维护|审批|处理|决定)",
            r"每(?:天|周|月|年|晚|季度|个月|个版本|次发布)",
            r"只(?:在|用|能|允许|支持|接受)|只有.{1,20}才",
            r"(?:都|全部|统统)(?:存|放|用|写|要|在|归|走|按)",
            r"之前(?:要|必须|先|不)|需要.{1,8}(?:审核|批准|同意)",
        ),
    },
    # Of these only the plain request to remember is known so far; the other cues are a row away.
    "ar": {Cue.EXPLICIT: (r"(?:تذكر|تذكّر|لا تنس)",)},
    "cs": {Cue.EXPLICIT: (r"\b(?:zapamatuj|pamatuj|nezapomeň)",)},
    "da": {Cue.EXPLICIT: (r"\b(?:husk|glem ikke)\b",)},
    "de": {
        Cue.EXPLICIT: (
            r"\bmerk(?:e)?(?:n sie)? (?:dir|euch|sich)\b",
            r"\b(?:vergiss nicht|denk daran|nicht vergessen)\b",
        )
    },
    "el": {Cue.EXPLICIT: (r"\b(?:θυμήσου|να θυμάσαι|μην ξεχ)",)},
    "es": {Cue.EXPLICIT: (r"\b(?:recuerda|recuerde|recordad|acuérdate)\b", r"\bno (?:te )?olvid")},
    "fi": {Cue.EXPLICIT: (r"\b(?:muista|älä unohda)\b",)},
    "fr": {Cue.EXPLICIT: (r"\b(?:souviens-toi|souvenez-vous|rappelle-toi|retiens|retenez|n'oublie)",)},
    "he": {Cue.EXPLICIT: (r"(?:תזכור|תזכרי|זכור|אל תשכח)",)},
    "hi": {Cue.EXPLICIT: (r"(?:याद रख|मत भूल|भूलना मत)",)},
    "hu": {Cue.EXPLICIT: (r"\b(?:jegyezd meg|ne felejtsd)",)},
    "id": {Cue.EXPLICIT: (r"\b(?:ingat(?:lah)?|jangan lupa)\b",)},
    "it": {Cue.EXPLICIT: (r"\b(?:ricorda(?:ti|tevi|te)?|non dimenticare|tieni (?:a mente|presente))\b",)},
    "ja": {Cue.EXPLICIT: (r"(?:覚えて(?:おいて|ください|くれ|ね|。|$)|覚えといて|忘れないで|記憶して)",)},
    "ko": {Cue.EXPLICIT: (r"(?:기억해|기억하세요|기억해라|잊지 ?마)",)},
    "nl": {Cue.EXPLICIT: (r"\b(?:onthoud|vergeet niet|denk eraan)\b",)},
    "no": {Cue.EXPLICIT: (r"\b(?:husk|ikke glem)\b",)},
    "pl": {Cue.EXPLICIT: (r"\b(?:zapamiętaj|pamiętaj|nie zapomnij)",)},
    "pt": {Cue.EXPLICIT: (r"\b(?:lembre(?:-se)?|lembra-te|não (?:se )?esqueça)",)},
    "ro": {Cue.EXPLICIT: (r"\b(?:ține minte|amintește-ți|nu uita)",)},
    "ru": {Cue.EXPLICIT: (r"\b(?:запомни|помни|не забудь|не забывай|учти)",)},
    "sv": {Cue.EXPLICIT: (r"\b(?:kom ihåg|glöm inte)\b",)},
    "th": {Cue.EXPLICIT: (r"(?:จำไว้|จำว่า|อย่าลืม)",)},
    "tr": {Cue.EXPLICIT: (r"\b(?:unutma|hatırla|aklında tut)",)},
    "uk": {Cue.EXPLICIT: (r"\b(?:запам'ятай|пам'ятай|не забудь)",)},
    "vi": {Cue.EXPLICIT: (r"(?:hãy nhớ|ghi nhớ|nhớ rằng|đừng quên)",)},
}

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:\.(?=\S)[^.!?。！？\n]*)*[.!?。！？]*")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "，": ",", "；": ";", "：": ":", "、": ","})


def cues(message: str) -> frozenset[Cue]:
    """Return the cues of a message: of its own words, without code blocks and quoted lines."""
    found: set[Cue] = set()
    for sentence in sentences(message):
        is_question = sentence.rstrip().endswith(("?", "？"))
        for cue, pattern in _patterns(is_question=is_question):
            if cue not in found and pattern.search(sentence):
                found.add(cue)
    return frozenset(found)


def sentences(message: str) -> list[str]:
    """Return the sentences of a message in lower case and with plain punctuation, code blocks and quotes aside."""
    own = _QUOTED.sub("", _FENCE.sub("\n", message))
    if len(own) > 2 * LOOKED_AT:
        own = f"{own[:LOOKED_AT]}\n{own[-LOOKED_AT:]}"
    plain = own.lower().translate(_PLAIN)
    return [text for found in _SENTENCE.finditer(plain) if (text := " ".join(found[0].split()))]


@cache
def _patterns(*, is_question: bool) -> tuple[tuple[Cue, "re.Pattern[str]"], ...]:
    return tuple(
        (cue, re.compile(pattern.removeprefix("?")))
        for row in TABLE.values()
        for cue, patterns in row.items()
        for pattern in patterns
        if not is_question or cue is Cue.EXPLICIT or pattern.startswith("?")
    )
