#!/usr/bin/env python3
"""Writes small tokenizers of every kind, and ids.json: what the reference makes of hard strings.

Each tokenizer is trained on the few sentences below by Hugging Face's tokenizers or by sentencepiece,
and encodes every string of `texts` with that library. A GGUF holds the vocabulary of a tokenizer.json or
of a SentencePiece model in the form of llama.cpp's converter; its ids are those of the library, and
where llama.cpp follows a rule of its own, of that rule written out below. Ids of a text are one string of
numbers, and CHARSMAP stands for the one map of characters, to keep the files small. Needs tokenizers, sentencepiece, gguf and numpy; fixed seeds.
"""
import base64
import copy
import io
import json
import pathlib
import platform
import random

import gguf
import sentencepiece
import tokenizers
from sentencepiece import sentencepiece_model_pb2 as proto
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).resolve().parent

SENTENCES = """The working model turns, and the transformers turn with it; they're turning, aren't they? I'll say so, you'd say so, we've said so.
def encode(text: str) -> list[int]:\n    return [ord(c) for c in text if c != '\\n']\n\nfor (int i = 0; i < 12345; ++i) { total += a[i] * b[i]; }
Position 0 is the first of 1024 positions, and 3.14159 is a number; 2026-11-25 is a date, 100,000 a count.
Ein Wörterbuch für Überraschungen: größer, schöner, weiß. L'été, où l'on naïvement déjà-vu. El niño mañana, ¿qué?
Быстрая коричневая лиса прыгает через ленивую собаку. Η γρήγορη αλεπού. 日本語の文章を分割する。中文分词测试。한국어 문장.
ภาษาไทยไม่มีช่องว่าง हिन्दी में मात्राएँ होती हैं। العربية من اليمين إلى اليسار. עברית מימין לשמאל. 😀😀 👩‍👩‍👧 ok.
the theory of the thing there then these those through thorough thought although; running runner ran; unbelievable believable.
attention attention heads heads layer layers token tokens rotation rotary embedding embeddings frequency frequencies base.
""".split("\n")

HARD = [
    "", " ", "  ", "   ", "\n", "\n\n", "\n\n\n", "\r\n", "\r\n\r\n", "\t", "\t\t", " \n", "\n ", " \n \n ", "\u000b", "\u000c", "\u0085",
    "a\u0085b", "a\u000bb", "a\u2028b", "a\u2029b", "a\u2029\u2029 b", "a\u00a0b", "a\u00a0\u00a0b", "\u3000\u3000x", "a\u200bb", "a\u200db",
    "\ufeffstart", "mid\ufeffdle", "soft\u00adhyphen", "a\u2060b", "nul\x00nul", "\x00", "\x01\x02\x7f", "tab\tin the\tmiddle", "trailing ", " leading",
    "  two leading", "two trailing  ", " both ", "a  b", "a   b", "a    b", "a\n\nb", "a \n b", "a\r\nb", "a\rb", "    indented\n        more",
    "Hello", "Hello world", "hello, world!", "HELLO WORLD", "The working model turns", "they're turning, aren't they?", "I'LL SAY SO", "WE'VE", "'S 'T 'RE",
    "it's it'S it\u2019s", "it'\u017f", "'\u017f'\u017f", "don'tcan't", "'s", "'", "''", "'''s", "K\u212aelvin'D", "12345", "1 22 333 4444 55555 666666",
    "1234567890123456789012345678901234567890", "3.14159", "1e-5", "0x1F", "１２３４５", "٠١٢٣", "१२३", "½ ¼ ²³¹ ⅷ", "x²+y²=z²", "a1b2c3", "12:34:56", "$1,234.56", "100%", "²a", "m²",
    "\u00aa \u00ba", "a\u00aab", "fullwidth Ａ Ｂ ｃ", "ﬁ ﬂ ﬀ ﬃ", "Ǆ ǅ ǆ", "İstanbul", "ıi", "ẞß", "ΣΑΣ ς σ", "ÅÅå", "A\u030a", "e\u0301", "é", "o\u0308\u0301", "\u0301", "\u0301a", " \u0301", "a\u0301\u0302\u0303\u0304\u0305",
    "q\u0323\u0307", "q\u0307\u0323", "\u1e9b\u0323", "\u212b", "\uac00\u11a8", "\u1100\u1161\u11a8", "각", "ｶﾞ", "が", "か\u3099", "ｱｲｳｴｵ", "㌔ ㎏ ㍿", "①②③", "ⅠⅡⅢ", "™ © ®", "Ⓐ",
    "ภาษาไทย", "ภาษาไทยไม่มีช่องว่าง", "กำ", "ก\u0e33", "हिन्दी", "हिन्दी में", "क्षि", "\u093f", "বাংলা", "தமிழ்", "മലയാളം", "ខ្មែរ", "မြန်မာ", "ལྷ་ས", "ქართული", "Հայերեն", "አማርኛ", "ᓀᐦᐃᔭᐍᐏᐣ", "\u166d",
    "العربية", "عَرَبِيّ", "لا", "ﷺ", "ﻻ", "עברית", "עִבְרִית", "\u202eabc\u202c", "\u2066rtl\u2069", "שלום world مرحبا", "日本語", "日本語の文章", "中文分词", "汉字漢字", "㐀㐁", "𠀀𠀁", "\U0002a6df\U0002a700", "\U0002b820\U0002b8ff\U0002b920", "\U0002f800", "\uf900",
    "한국어", "한국어 문장", "カタカナ ひらがな", "々〆ヶ", "。、「」", "！？", "…", "—–-", "“quotes” ‘single’", "«guillemets»", "¿qué? ¡sí!", "§ ¶ † ‡", "€£¥₹", "∑∏∫√∞≠≤", "→←↑↓", "αβγ", "ℵℶ ℝℂ", "𝐀𝐁𝐜", "𝓗𝓮𝓵𝓵𝓸", "\u2e43 \u2e52", "\u20e3", "#\ufe0f\u20e3",
    "😀", "😀😀", "a😀b", "👩‍👩‍👧", "👨🏽‍💻", "🇩🇪🇫🇷", "❤️", "❤", "🏳️‍🌈", "🫠", "🧑‍🚀 ok", "\u200d", "\u200d\u200d", "\ufe0f", "\U000e0067\U000e007f", "\U0001f3fb", "\ufffd", "a\ufffdb", "\ufffe", "\U0010ffff", "\ue000", "\U000f0000", "\u0378",
    "def f(x):\n\treturn x**2  # comment", "for(int i=0;i<n;++i){a[i]+=b[i];}", "<html><body class=\"x\">&amp;</body></html>", "{\"a\": [1, 2, {\"b\": null}]}", "SELECT * FROM t WHERE id=1;", "a->b::c<d>()", "/* c */ // d", "\\n\\t\\\\", "C:\\dir\\file.txt", "/usr/lib/x.so.1", "https://example.org/a?b=c&d=e#f", "me@example.org", "snake_case camelCase PascalCase SCREAMING_CASE kebab-case", "__init__", "!!!", "...", "?!?!", "-----", "=====", "***", "((([[[{{{", "~`@#$%^&*()_+-=[]{}|;':\",./<>?",
    "a" * 101, "a" * 100, "b" * 300, "abc" * 60, "é" * 120, "日" * 110, " " * 50, " " * 100 + "x", "\n" * 40, "\t" * 20, "x" + " " * 30 + "y", "1" * 120, "!" * 110, "." * 200, "\u0301" * 20, "a" + "\u0301" * 40,
    "supercalifragilisticexpialidocious", "antidisestablishmentarianism", "Donaudampfschifffahrtsgesellschaftskapitän", "pneumonoultramicroscopicsilicovolcanoconiosis" * 3,
    "<s>", "</s>", "<unk>", "<s>hello</s>", "a<s>b", " <s> ", "<pad><mask>", "[CLS] [SEP] [UNK] [MASK]", "a[MASK]b", "[MASK] [MASK]", "  [MASK]  x", "<|endoftext|>", "x<|endoftext|>y", "<|im_start|>user\nhi<|im_end|>\n", " <|im_start|> ", "<|im_start", "<|im_start|><|im_start|>", "word<|endoftext|><|im_end|>word", "<mask>", "a <mask> b", "a   <mask>   b", "a<mask>b", "\t<mask>\n", "lowword", "a lowword b", "lowwords", "alowword", "LowWord", "LOWWORD!", "a lowword", "low-word lowword.", "nörm", "no\u0308rm", "NÖRM", "xnormx", "added added", "addedadded", "added  added", "preaddedpost", "<0x0A>", "<0x41>A", "▁", "▁▁", "a▁b", " ▁ ", "Ġ", "Ċ", "##", "##ing", "a##b",
    "running runner ran unbelievable", "the theory of the thing", "thethethe", "tttthhhheeee", "TheTHEthe", "frequency frequencies", "rotary  rotation", "tokens,tokens;tokens", "aaaa aaaa aaaa", "abababab", "mixed日本ラテンрусский", "a1б2в3", "ÀÉÎÕÜ àéîõü", "Crème brûlée", "naïve café résumé", "Zürich Straße", "żółć", "Ťažký", "ĳ Ĳ", "ŉ", "ǰ", "ſ", "ﬅ", "Å", "\u0344", "\u0340", "\u0958", "\u0f77", "\u2f00", "\u2126", "\u00b5", "\u1fbe", "\u2000\u2001\u2002", "\u1680x", "x\u180ey", "a\u202fb", "a\u205fb",
]

NEWER = ["\U00010d40\U00010d41", "a\U000105c0b", "\u1c89\u1c8a", "\U0002ebf0", "\U0001ccd6x", "\u2ffc"]


def corpus():
    texts = list(dict.fromkeys(HARD))
    dice = random.Random(20261125)
    alphabet = list("abehinorst  \n\t'.,-0129AÉéßÖ") + ["日", "本", "α", "я", "\u0301", "😀", "ก", "ि", "ا", "\u00a0", "\u2028", "\u200d", "Ａ", "ﬁ", "'s", "the", " the", "<s>", "[MASK]", "lowword", "added", "\r\n", "   "]
    while len(texts) < 400:
        texts.append("".join(dice.choice(alphabet) for _ in range(dice.randint(1, 24))))
    return list(dict.fromkeys(texts))


TEXTS = corpus()
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
GPT4O = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
POSSESSIVE = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
BYTE_LEVEL = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


def isolated(*expressions):
    splits = [pre_tokenizers.Split(Regex(each), "isolated") for each in expressions]
    return pre_tokenizers.Sequence([*splits, BYTE_LEVEL])


def bpe(pre, normalizer=None, size=420, decoder=None, **options):
    tokenizer = Tokenizer(models.BPE(**options))
    tokenizer.pre_tokenizer = pre
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.decoder = decoder or decoders.ByteLevel()
    tokenizer.train_from_iterator(SENTENCES, trainers.BpeTrainer(vocab_size=size, show_progress=False, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    return tokenizer


def special(content, **flags):
    return AddedToken(content, special=True, normalized=False, **flags)


CHAT = [special("<|endoftext|>"), special("<|im_start|>"), special("<|im_end|>"), AddedToken("lowword", single_word=True, normalized=True),
        AddedToken("added", normalized=False), special("<mask>", lstrip=True), AddedToken("nörm", normalized=True, rstrip=True)]


def with_tokens(tokenizer, tokens=CHAT):
    tokenizer.add_tokens(tokens)
    return tokenizer


def around(tokenizer, before, behind=None):
    names = [name for name in (before, behind) if name]
    single = " ".join(([before] if before else []) + ["$A"] + ([behind] if behind else []))
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=True),
        processors.TemplateProcessing(single=single, pair=None, special_tokens=[(n, tokenizer.token_to_id(n)) for n in names])])
    return tokenizer


def edited(tokenizer, edit):
    value = json.loads(tokenizer.to_str())
    edit(value)
    return Tokenizer.from_str(json.dumps(value)), value


def byte_level_kinds():
    yield "gpt2", with_tokens(bpe(pre_tokenizers.ByteLevel(add_prefix_space=False)))
    yield "gpt2_prefix_space", bpe(pre_tokenizers.ByteLevel(add_prefix_space=True))
    yield "llama3_ignore_merges", around(with_tokens(bpe(isolated(LLAMA3), ignore_merges=True)), "<|endoftext|>")
    yield "qwen2_nfc", with_tokens(bpe(isolated(QWEN2), normalizer=normalizers.NFC()))
    yield "gpt4o", around(with_tokens(bpe(isolated(GPT4O))), "<|im_start|>", "<|im_end|>")
    yield "deepseek3", bpe(isolated(r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", DEEPSEEK))
    yield "possessive", bpe(isolated(POSSESSIVE))
    yield "smollm2", with_tokens(bpe(pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])))
    yield "digits_runs", bpe(pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=False), pre_tokenizers.ByteLevel(add_prefix_space=False)]))
    yield "falcon", bpe(pre_tokenizers.Sequence([pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.ByteLevel(add_prefix_space=False), pre_tokenizers.Digits(False), pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated")]))
    yield "byte_level_normalizer", bpe(pre_tokenizers.Split(Regex(r"\w+|[^\w\s]+|\s+"), "isolated"), normalizer=normalizers.ByteLevel())


def split_by(pre):
    """BPE that merges across whatever `pre` splits at."""
    tokenizer = bpe(BYTE_LEVEL, size=520)
    tokenizer.pre_tokenizer = pre
    return tokenizer


def split_kinds():
    for behavior in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"):
        for invert in (False, True):
            split = pre_tokenizers.Split(Regex(r"\s|[\p{P}\p{S}]|\b(?=1)"), behavior, invert)
            yield f"split_{behavior}{'_inverted' if invert else ''}", split_by(pre_tokenizers.Sequence([split, BYTE_LEVEL]))
    yield "split_string", split_by(pre_tokenizers.Sequence([pre_tokenizers.Split("a.b|", "isolated"), pre_tokenizers.Split(" ", "merged_with_next"), BYTE_LEVEL]))
    yield "whitespace", split_by(pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), BYTE_LEVEL]))
    yield "whitespace_split", split_by(pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), BYTE_LEVEL]))
    yield "delimiter", split_by(pre_tokenizers.Sequence([pre_tokenizers.CharDelimiterSplit("e"), BYTE_LEVEL]))


def normalizer_kinds():
    n = normalizers
    all_of = {
        "nfd": n.NFD(), "nfc": n.NFC(), "nfkd": n.NFKD(), "nfkc": n.NFKC(), "lowercase": n.Lowercase(), "nfd_strip_accents": n.Sequence([n.NFD(), n.StripAccents()]),
        "strip_accents_alone": n.StripAccents(), "strip": n.Strip(True, True), "strip_left": n.Strip(True, False), "strip_right": n.Strip(False, True), "nmt": n.Nmt(),
        "replace_regex": n.Sequence([n.Replace(Regex(r"\s+"), " "), n.Replace("''", '"'), n.Replace(Regex(r"[a-c]+(?=\d)"), "Q")]), "prepend": n.Prepend("the "),
    }
    for name, normalizer in all_of.items():
        yield f"normalizer_{name}", with_tokens(bpe(pre_tokenizers.ByteLevel(add_prefix_space=False), normalizer=normalizer, size=300))


COMMON = {c for c in "".join(SENTENCES) if "".join(SENTENCES).count(c) > 1}


def character_bpe(normalizer, pre, specials=("<unk>", "<s>", "</s>"), size=700, **options):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", **options))
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre:
        tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokens = list(specials) + ([f"<0x{i:02X}>" for i in range(256)] if options.get("byte_fallback") else [])
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, special_tokens=[])
    # Without rare letters, so that some are unknown.
    tokenizer.train_from_iterator(["".join(c for c in line if c in COMMON) for line in SENTENCES], trainer)

    def insert(value):
        vocab = tokens + [t for t, _ in sorted(value["model"]["vocab"].items(), key=lambda e: e[1]) if t not in tokens]
        value["model"]["vocab"] = {t: i for i, t in enumerate(vocab)}
        value["added_tokens"] = [dict(id=i, content=t, single_word=False, lstrip=False, rstrip=False, normalized=False, special=True) for i, t in enumerate(specials)]
    return edited(tokenizer, insert)[0]


def llama_kinds():
    n = normalizers
    spaces = lambda: n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")])
    yield "llama2_byte_fallback", around_bos(character_bpe(spaces(), None, byte_fallback=True, fuse_unk=True))
    yield "llama2_fuse_unk", character_bpe(spaces(), None, size=420, byte_fallback=False, fuse_unk=True)
    yield "llama2_no_fuse", character_bpe(spaces(), None, size=420, byte_fallback=False, fuse_unk=False)
    yield "gemma", with_tokens(character_bpe(n.Replace(" ", "▁"), pre_tokenizers.Split(" ", "merged_with_previous"), byte_fallback=True, fuse_unk=True), [AddedToken("\n\n", normalized=False), AddedToken("▁▁▁", normalized=False), AddedToken("added", normalized=False)])
    for scheme in ("first", "always", "never"):
        for split in (False, True):
            pre = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split)
            yield f"metaspace_{scheme}{'_split' if split else ''}", with_tokens(character_bpe(None, pre, size=420, byte_fallback=True), CHAT)
    yield "clip_suffix", clip()


def clip():
    pre = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"), "removed", invert=True), BYTE_LEVEL])
    normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    words = [[*word[:-1], word[-1] + "</w>"] for line in SENTENCES for word, _ in pre.pre_tokenize_str(normalizer.normalize_str(line))]
    merges = first_merges(words, 180)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = letters + [c + "</w>" for c in letters] + [a + b for a, b in merges] + ["<|endoftext|>"]
    tokenizer = Tokenizer(models.BPE({p: i for i, p in enumerate(pieces)}, merges, unk_token="<|endoftext|>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return tokenizer


def first_merges(words, count):
    """Byte-pair encoding as it is printed; of equal pairs the first of the alphabet, where the library draws."""
    merges = []
    for _ in range(count):
        pairs = {}
        for word in words:
            for pair in zip(word, word[1:]):
                pairs[pair] = pairs.get(pair, 0) + 1
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        for word in words:
            i = 0
            while i + 1 < len(word):
                if (word[i], word[i + 1]) == best:
                    word[i:i + 2] = ["".join(best)]
                i += 1
    return merges



def around_bos(tokenizer):
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair=None, special_tokens=[("<s>", tokenizer.token_to_id("<s>"))])
    return tokenizer


def word_pieces(normalizer, pre, size=700):
    """The commonest beginnings and continuations of words: the library's own trainer draws among equals."""
    counts = {}
    for line in SENTENCES:
        for word, _ in pre.pre_tokenize_str(normalizer.normalize_str(line)):
            for begin in range(len(word)):
                for end in range(begin + 1, len(word) + 1):
                    piece = ("##" if begin else "") + word[begin:end]
                    counts[piece] = counts.get(piece, 0) + 1
    single = [p for p in counts if len(p) == 1 or (p.startswith("##") and len(p) == 3)]
    longer = sorted(set(counts) - set(single), key=lambda p: (-counts[p] * len(p), p))
    return sorted(single) + longer[:max(0, size - len(single))]


def word_piece(normalizer, **options):
    pre = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = specials + word_pieces(normalizer, pre)
    tokenizer = Tokenizer(models.WordPiece({p: i for i, p in enumerate(pieces)}, unk_token="[UNK]", **options))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(specials)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def bert_kinds():
    n = normalizers
    yield "bert_uncased", word_piece(n.BertNormalizer())
    yield "bert_cased", word_piece(n.BertNormalizer(lowercase=False))
    yield "bert_cased_stripped", word_piece(n.BertNormalizer(lowercase=False, strip_accents=True))
    yield "bert_raw", word_piece(n.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=True))
    yield "bert_short_words", word_piece(n.BertNormalizer(), max_input_chars_per_word=8)
    yield "roberta", roberta()


def roberta():
    tokenizer = bpe(pre_tokenizers.ByteLevel(add_prefix_space=True))
    tokenizer.add_special_tokens(["<s>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True, normalized=False, special=True)])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", tokenizer.token_to_id("</s>")), ("<s>", tokenizer.token_to_id("<s>")))
    return tokenizer


def sentencepiece_model(**options):
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(SENTENCES * 3), model_writer=out, num_threads=1, minloglevel=2, hard_vocab_limit=False, **options)
    return out.getvalue()


def unigram_of(model, byte_fallback=False, normal=None, pre=None):
    parsed = proto.ModelProto.FromString(model)
    vocab = [(p.piece, p.score) for p in parsed.pieces]
    unknown = next(i for i, p in enumerate(parsed.pieces) if p.type == 2)
    tokenizer = Tokenizer(models.Unigram(vocab, unk_id=unknown, byte_fallback=byte_fallback))
    charsmap = parsed.normalizer_spec.precompiled_charsmap
    if normal is None:
        normal = normalizers.Sequence([normalizers.Precompiled(charsmap), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.normalizer = normal
    tokenizer.pre_tokenizer = pre or pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens([p.piece for p in parsed.pieces if p.type == 3])
    return tokenizer


def unigram_kinds(spm):
    eos = lambda t: with_eos(t)
    yield "t5", eos(unigram_of(spm["unigram"]))
    n = normalizers
    yield "deberta3", unigram_of(spm["unigram_bytes"], byte_fallback=True, normal=n.Sequence([n.Strip(True, True), n.Precompiled(charsmap_of(spm["unigram"])), n.Replace(Regex(" {2,}"), " ")]))
    yield "xlnet", unigram_of(spm["unigram"], normal=n.Sequence([n.Replace("``", '"'), n.Replace("''", '"'), n.NFKD(), n.StripAccents(), n.Precompiled(charsmap_of(spm["unigram"])), n.Replace(Regex(" {2,}"), " ")]), pre=pre_tokenizers.Metaspace(prepend_scheme="always"))


def charsmap_of(model):
    return proto.ModelProto.FromString(model).normalizer_spec.precompiled_charsmap


def with_eos(tokenizer):
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", pair=None, special_tokens=[("</s>", tokenizer.token_to_id("</s>"))])
    return tokenizer


def variants():
    """The same BPE with its merges as texts, and without a type of the model, as older files have them."""
    base = with_tokens(bpe(pre_tokenizers.ByteLevel(add_prefix_space=False)))
    _, value = edited(base, lambda v: None)
    older = copy.deepcopy(value)
    older["model"]["merges"] = [" ".join(pair) for pair in older["model"]["merges"]]
    del older["model"]["type"]
    older["truncation"] = {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}
    older["padding"] = {"strategy": {"Fixed": 16}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "!"}
    yield "merges_as_texts", older


def packed(ids):
    return " ".join(str(i) for i in ids)


def encode_all(tokenizer, add=True):
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return [packed(tokenizer.encode(text, add_special_tokens=add).ids) for text in TEXTS + NEWER]


def compact(tokenizer_json):
    return json.dumps(tokenizer_json, ensure_ascii=False, separators=(",", ":"))


def write_gguf(name, fill):
    writer = gguf.GGUFWriter(HERE / f"{name}.gguf", "llama")
    fill(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def gpt2_gguf(writer, value, pre, bos=None):
    vocab = dict(value["model"]["vocab"])
    added = {t["content"]: t for t in value["added_tokens"]}
    vocab.update({c: t["id"] for c, t in added.items()})
    tokens = [t for t, _ in sorted(vocab.items(), key=lambda e: e[1])]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types([1 if t not in added else 3 if added[t]["special"] else 4 for t in tokens])
    writer.add_token_merges([" ".join(m) for m in value["model"]["merges"]])
    if bos:
        writer.add_bos_token_id(vocab[bos])
    writer.add_add_bos_token(bool(bos))


def spm_gguf(writer, model, kind, **flags):
    parsed = proto.ModelProto.FromString(model)
    writer.add_tokenizer_model(kind)
    writer.add_tokenizer_pre("default")
    writer.add_token_list([p.piece for p in parsed.pieces])
    writer.add_token_scores([p.score for p in parsed.pieces])
    writer.add_token_types([p.type for p in parsed.pieces])
    for key, piece in (("unk", "<unk>"), ("bos", "<s>"), ("eos", "</s>")):
        ids = [i for i, p in enumerate(parsed.pieces) if p.piece == piece]
        if ids:
            getattr(writer, f"add_{key}_token_id")(ids[0])
    writer.add_add_space_prefix(parsed.normalizer_spec.add_dummy_prefix)
    writer.add_remove_extra_whitespaces(parsed.normalizer_spec.remove_extra_whitespaces)
    if parsed.normalizer_spec.precompiled_charsmap:
        writer.add_precompiled_charsmap(parsed.normalizer_spec.precompiled_charsmap)
    for key, flag in flags.items():
        getattr(writer, key)(flag)


def bert_gguf(writer, value):
    tokens = [t for t, _ in sorted(value["model"]["vocab"].items(), key=lambda e: e[1])]
    control = {t["content"] for t in value["added_tokens"]}
    phantom = [t if t in control else t[2:] if t.startswith("##") and len(t) > 2 else "▁" + t for t in tokens]
    writer.add_tokenizer_model("bert")
    writer.add_token_list(phantom)
    writer.add_token_types([3 if t in control else 1 for t in tokens])
    for key, token in (("unk", "[UNK]"), ("bos", "[CLS]"), ("sep", "[SEP]")):
        getattr(writer, f"add_{key}_token_id")(tokens.index(token))


def between(text, specials, encode):
    """Encodes what lies between special tokens by itself, as llama.cpp does."""
    ids, rest = [], text
    while rest:
        found = min(((rest.find(s), -len(s), s) for s in specials if s in rest), default=None)
        if found is None:
            return ids + encode(rest)
        if found[0] > 0:
            ids += encode(rest[:found[0]])
        ids.append(specials[found[2]])
        rest = rest[found[0] + len(found[2]):]
    return ids


def main():
    spm = {
        "unigram": sentencepiece_model(model_type="unigram", vocab_size=420, character_coverage=0.985, pad_id=0, eos_id=1, unk_id=2, bos_id=-1, pad_piece="<pad>", normalization_rule_name="nmt_nfkc"),
        "unigram_bytes": sentencepiece_model(model_type="unigram", vocab_size=620, character_coverage=0.985, byte_fallback=True, normalization_rule_name="identity"),
        "bpe_bytes": sentencepiece_model(model_type="bpe", vocab_size=680, character_coverage=0.985, byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False, user_defined_symbols=["added"], split_digits=True, allow_whitespace_only_pieces=True),
    }
    files, ids = {}, {}
    kinds = [*byte_level_kinds(), *split_kinds(), *normalizer_kinds(), *llama_kinds(), *bert_kinds(), *unigram_kinds(spm)]
    for name, tokenizer in kinds:
        value = json.loads(tokenizer.to_str())
        files[name] = value
        ids[f"{name} json"] = encode_all(Tokenizer.from_str(json.dumps(value)))
    ids["llama3_ignore_merges json without special tokens"] = encode_all(dict(kinds)["llama3_ignore_merges"], add=False)
    for name, value in variants():
        files[name] = value
        ids[f"{name} json"] = encode_all(Tokenizer.from_str(json.dumps(value)))

    def tables():
        for name, pre, bos in (("gpt2", "gpt-2", None), ("smollm2", "smollm", None), ("llama3_ignore_merges", "llama-bpe", "<|endoftext|>"), ("gpt4o", "gpt-4o", None), ("deepseek3", "deepseek-v3", None)):
            value = copy.deepcopy(files[name])
            # A GGUF knows neither words of their own nor white space that a token takes along.
            for token in value["added_tokens"]:
                token.update(single_word=False, lstrip=False, rstrip=False, normalized=False)
            value["post_processor"] = None
            yield name, pre, bos, value
    for name, pre, bos, value in tables():
        write_gguf(name, lambda w: gpt2_gguf(w, value, pre, bos))
        tokenizer = Tokenizer.from_str(json.dumps(value))
        first = f"{tokenizer.token_to_id(bos)} " if bos else ""
        ids[f"{name} gguf"] = [(first + each).strip() for each in encode_all(tokenizer)]
    write_gguf("bert_uncased", lambda w: bert_gguf(w, files["bert_uncased"]))
    ids["bert_uncased gguf"] = ids["bert_uncased json"]
    for name in ("unigram", "unigram_bytes", "bpe_bytes"):
        (HERE / f"{name}.model").write_bytes(spm[name])
        processor = sentencepiece.SentencePieceProcessor(model_proto=spm[name])
        ids[f"{name} model"] = [packed(processor.encode(text)) for text in TEXTS + NEWER]

    def special_pieces(name, types):
        return {p.piece: i for i, p in enumerate(proto.ModelProto.FromString(spm[name]).pieces) if p.type in types}
    write_gguf("unigram", lambda w: spm_gguf(w, spm["unigram"], "t5", add_add_eos_token=True))
    unigram = sentencepiece.SentencePieceProcessor(model_proto=spm["unigram"])
    ids["unigram gguf"] = [packed(between(t, special_pieces("unigram", (2, 3, 4)), unigram.encode) + [unigram.eos_id()]) for t in TEXTS + NEWER]
    write_gguf("bpe_bytes", lambda w: spm_gguf(w, spm["bpe_bytes"], "llama", add_add_bos_token=True))
    bpe_bytes = sentencepiece.SentencePieceProcessor(model_proto=spm["bpe_bytes"])
    ids["bpe_bytes gguf"] = [packed([bpe_bytes.bos_id()] + between(t, special_pieces("bpe_bytes", (2, 3, 4)), bpe_bytes.encode)) for t in TEXTS + NEWER]

    charsmap = base64.b64encode(charsmap_of(spm["unigram"])).decode()
    files = {name: json.loads(json.dumps(value).replace(charsmap, "CHARSMAP")) for name, value in files.items()}
    (HERE / "tokenizers.json").write_text(compact({"generator": "tests/golden/tokenizers/generate.py", "versions": versions(), "CHARSMAP": charsmap, "files": files}) + "\n")
    text = {"generator": "tests/golden/tokenizers/generate.py", "versions": versions(), "newer_than_unicode_15": len(NEWER), "texts": TEXTS + NEWER, "ids": ids}
    (HERE / "ids.json").write_text(compact(text) + "\n")
    same = {}
    for name, each in ids.items():
        same.setdefault(tuple(each), []).append(name)
    print(*(" = ".join(names) for names in same.values() if len(names) > 1), sep="\n")
    print(len(TEXTS), "texts,", len(ids), "kinds")


def versions():
    return {"python": platform.python_version(), "tokenizers": tokenizers.__version__, "sentencepiece": sentencepiece.__version__, "gguf": "0.19.0"}


if __name__ == "__main__":
    main()
