"""Bare ONNX Runtime, for the tests: reference.py VOCABULARY GRAPH mean|first LIMIT

A line of JSON on stdin has the batches, each a list of texts. Then each line is a question:
    vectors   answers a line of base64 a text: little-endian float32, of length 1
    serial    answers the seconds that the runs alone take, one after the other, each on all cores
    parallel  the same with as many runs at once as there are cores, each on one
"""
import base64
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import onnxruntime
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors


def tokenizer(path, limit):
    with open(path, encoding="utf-8") as lines:
        vocabulary = {line.rstrip("\n"): i for i, line in enumerate(lines)}
    t = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer = normalizers.BertNormalizer(lowercase=True)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    frame = [(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")]
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=frame)
    t.enable_truncation(limit)
    t.enable_padding()
    return t


def session(graph, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def vectors(states, mask, pooling):
    if pooling == "first":
        pooled = states[:, 0]
    else:
        weights = mask[:, :, None].astype(numpy.float32)
        pooled = (states * weights).sum(1) / weights.sum(1)
    return pooled / numpy.linalg.norm(pooled, axis=1, keepdims=True)


def main():
    vocabulary, graph, pooling, limit = sys.argv[1:]
    t, cores = tokenizer(vocabulary, int(limit)), len(os.sched_getaffinity(0))
    feeds = []
    for batch in json.loads(sys.stdin.readline()):
        encoded = t.encode_batch(batch)
        ids = numpy.array([e.ids for e in encoded], dtype=numpy.int64)
        mask = numpy.array([e.attention_mask for e in encoded], dtype=numpy.int64)
        feeds.append({"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)})
    one, all_cores = session(graph, 1), session(graph, cores)
    for question in sys.stdin:
        start = time.perf_counter()
        if question.strip() == "vectors":
            for feed in feeds:
                states = all_cores.run(["last_hidden_state"], feed)[0]
                for vector in vectors(states, feed["attention_mask"], pooling):
                    print(base64.b64encode(vector.astype("<f4").tobytes()).decode())
        elif question.strip() == "serial":
            for feed in feeds:
                all_cores.run(["last_hidden_state"], feed)
            print(time.perf_counter() - start)
        else:
            with ThreadPoolExecutor(cores) as pool:
                for _ in pool.map(lambda feed: one.run(["last_hidden_state"], feed), feeds):
                    pass
            print(time.perf_counter() - start)
        sys.stdout.flush()


main()
