"""The reference tokenizer, for the tests: PyPI's tokenizers with BERT's uncased settings.

    reference.py VOCABULARY golden      JSON strings on stdin, a line each; {"text", "numbers"} on stdout
    reference.py VOCABULARY digests     the same in; of each text, the count and SHA-256 of its numbers out
    reference.py VOCABULARY characters  one such line over "a" + c + "b" for every code point c, space between
"""
import hashlib
import json
import struct
import sys

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors


def tokenizer(path):
    with open(path, encoding="utf-8") as lines:
        vocabulary = {line.rstrip("\n"): i for i, line in enumerate(lines)}
    t = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer = normalizers.BertNormalizer(lowercase=True)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    frame = [(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")]
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=frame)
    return t


def digest(numbers):
    return f"{len(numbers)} {hashlib.sha256(struct.pack(f'<{len(numbers)}i', *numbers)).hexdigest()}"


def main():
    t, mode = tokenizer(sys.argv[1]), sys.argv[2]
    if mode == "characters":
        points = (c for c in range(0x110000) if not 0xD800 <= c < 0xE000)
        print(digest(t.encode(" ".join(f"a{chr(c)}b {chr(c)}" for c in points)).ids))
        return
    for line in sys.stdin:
        text = json.loads(line)
        numbers = t.encode(text).ids
        if mode == "golden":
            print(json.dumps({"text": text, "numbers": numbers}))
        else:
            print(digest(numbers))


main()
