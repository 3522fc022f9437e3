package onnx

import "skillcorpus/index/embed"

// Batches returns the batches that Embed runs of passages, by their places, and the tokens of all texts.
func (e *Embedder) Batches(texts []string) (batches [][]int, tokens int) {
	numbers := make([][]int32, len(texts))
	for i, text := range texts {
		numbers[i] = e.numbers(embed.Passage, text)
		tokens += len(numbers[i])
	}
	return e.batches(numbers), tokens
}

// Graph is the model's file.
func (e *Embedder) Graph() string { return e.config.Graph }

// Pooling is the model's.
func (e *Embedder) Pooling() string { return string(e.config.Model.Pooling) }
