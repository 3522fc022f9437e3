package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	ort "github.com/yalue/onnxruntime_go"

	"skillcorpus/data/models"
)

// batchTokens bounds the tokens of a batch, padding included. What a layer makes of so many stays in the caches:
// batches of 4,096 measured took 26 % more processor time and 880 MB in place of 290 MB.
const batchTokens = 512

// batches groups the texts, longest first, so that the last ones to run on a core are short ones. Each batch
// holds the places of its texts; its first is the longest.
func (e *Embedder) batches(numbers [][]int32) [][]int {
	places := make([]int, 0, len(numbers))
	for i, n := range numbers {
		if n != nil {
			places = append(places, i)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(len(numbers[b]), len(numbers[a])) })
	var batches [][]int
	for len(places) > 0 {
		size := 1
		if !e.config.Model.Alone {
			size = max(1, min(len(places), batchTokens/len(numbers[places[0]])))
		}
		batches = append(batches, places[:size])
		places = places[size:]
	}
	return batches
}

// run runs one batch and sets its texts' vectors.
func (e *Embedder) run(batch []int, numbers [][]int32, vectors [][]float32) (err error) {
	length := len(numbers[batch[0]])
	cells := len(batch) * length
	ids, mask := make([]int64, cells), make([]int64, cells)
	for row, place := range batch {
		for column := range length {
			cell := row*length + column
			if column < len(numbers[place]) {
				ids[cell], mask[cell] = int64(numbers[place][column]), 1
			} else {
				ids[cell] = int64(e.tokenizer.Pad())
			}
		}
	}
	states, free, err := e.states(ort.NewShape(int64(len(batch)), int64(length)), ids, mask)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, free()) }()
	width := e.config.Model.Dimensions
	if len(states) != cells*width {
		return fmt.Errorf("the model gave %d values for %d tokens of %d dimensions", len(states), cells, width)
	}
	for row, place := range batch {
		tokens := states[row*length*width:][:len(numbers[place])*width]
		if e.config.Model.Pooling == models.PoolFirst {
			tokens = tokens[:width]
		}
		vectors[place] = unit(tokens, width)
	}
	return nil
}

// states runs the graph. What it returns lives until free is called.
func (e *Embedder) states(shape ort.Shape, ids, mask []int64) (states []float32, free func() error, err error) {
	var values []ort.Value
	free = func() error {
		var all []error
		for _, value := range values {
			all = append(all, value.Destroy())
		}
		return errors.Join(all...)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, free())
		}
	}()
	for _, content := range [][]int64{ids, mask, make([]int64, len(ids))} {
		tensor, err := ort.NewTensor(shape, content)
		if err != nil {
			return nil, nil, err
		}
		values = append(values, tensor)
	}
	outputs := []ort.Value{nil}
	if err := e.session.Run(values, outputs); err != nil {
		return nil, nil, err
	}
	values = append(values, outputs...)
	tensor, ok := outputs[0].(*ort.Tensor[float32])
	if !ok {
		return nil, nil, fmt.Errorf("the model's %s is no float32 tensor", outputStates)
	}
	return tensor.GetData(), free, nil
}

// unit returns the mean of the tokens' vectors, scaled to length 1, or nil where it has no direction.
func unit(tokens []float32, width int) []float32 {
	sums := make([]float32, width)
	for ; len(tokens) > 0; tokens = tokens[width:] {
		for i, x := range tokens[:width] {
			sums[i] += x
		}
	}
	var square float64
	for _, x := range sums {
		square += float64(x) * float64(x)
	}
	length := math.Sqrt(square)
	if length == 0 || math.IsInf(length, 0) || math.IsNaN(length) {
		return nil
	}
	for i, x := range sums {
		sums[i] = float32(float64(x) / length)
	}
	return sums
}
