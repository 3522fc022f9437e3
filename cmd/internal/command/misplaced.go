package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// misplaced returns an error for the first flag that was given where it does nothing: ignored, it would let a user believe
// in results that are none. where tells of a flag with what it goes, in the words of the message; flags that are not in it
// go with everything. given is with what the command runs.
func misplaced(flags *pflag.FlagSet, where map[string][]string, given ...string) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		goes, bound := where[f.Name]
		if err == nil && bound && !slices.ContainsFunc(goes, func(with string) bool { return slices.Contains(given, with) }) {
			err = fmt.Errorf("--%s goes with %s", f.Name, strings.Join(goes, " or "))
		}
	})
	return err
}

// empty returns an error for the first of some flags that was given without a value, as by a variable that is not set.
func empty(flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if f := flags.Lookup(name); f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	return nil
}
