package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// lock is the writer's exclusive hold on a data folder. The kernel drops it with the process, however that ends.
type lock struct{ file *os.File }

// holder is what the lock file says of the process that holds it.
type holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// acquire takes the lock file at path, and asks again until the wait is over.
func acquire(ctx context.Context, path string, options Options) (*lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := waitFor(ctx, file, options.LockWait); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l := &lock{file: file}
	if err := l.sign(options.Command, options.Now()); err != nil {
		return nil, errors.Join(fmt.Errorf("sign lock: %w", err), l.release())
	}
	return l, nil
}

func waitFor(ctx context.Context, file *os.File, wait time.Duration) error {
	for ; ; wait -= lockPoll {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			return fmt.Errorf("lock %s: %w", file.Name(), err)
		case wait <= 0:
			return fmt.Errorf("%w: %s", ErrLocked, describe(file))
		}
		timer := time.NewTimer(min(wait, lockPoll))
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// lockPoll is how often a held lock is asked for again.
const lockPoll = 50 * time.Millisecond

func (l *lock) sign(command string, now time.Time) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	text, err := json.Marshal(holder{PID: os.Getpid(), Host: host, Command: command, Since: now.UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err = l.file.WriteAt(append(text, '\n'), 0)
	return err
}

func describe(file *os.File) string {
	var h holder
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 4096))
	if err != nil || json.Unmarshal(text, &h) != nil {
		return "the holder has not signed yet"
	}
	return fmt.Sprintf("%q, process %d on %s, since %s", h.Command, h.PID, h.Host, h.Since.Format(time.RFC3339))
}

// release wipes the signature first, so that the next holder is never taken for this one. Closing alone would leave
// the lock to a process that is just being started, which has the file until it runs its own program.
func (l *lock) release() error {
	return errors.Join(l.file.Truncate(0), syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN), l.file.Close())
}
