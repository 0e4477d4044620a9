package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"k8s.io/klog/v2"
)

// The longest path that the kernel takes for a socket.
const maxSocketPath = 107

// etcd's only member has to have a peer address, although no peer will ever call. A name without a slash is a socket in its
// working directory.
const etcdPeer = "unix://etcd-peer:0"

type etcdOptions struct {
	dataDir string
	binary  string
	socket  string
	args    []string
}

// etcdProcess is the etcd that this server started.
type etcdProcess struct {
	endpoint string
	command  *exec.Cmd
	// Closed when it has ended; err then says how.
	ended chan struct{}
	err   error
}

// startEtcd starts an etcd that listens on a Unix socket: the directory's permissions say who may use it, so it needs
// neither a port nor certificates.
func startEtcd(o etcdOptions) (*etcdProcess, error) {
	if o.dataDir == "" {
		return nil, errors.New("neither --etcd-servers nor --etcd-data-dir is given: name the etcd to use, or the directory for the data of one that is started")
	}
	dataDir, err := filepath.Abs(o.dataDir)
	if err != nil {
		return nil, err
	}
	if o.socket == "" {
		o.socket = dataDir + ".sock"
	}
	socket, err := filepath.Abs(o.socket)
	if err != nil {
		return nil, err
	}
	if len(socket) > maxSocketPath {
		return nil, fmt.Errorf("etcd's socket would be %s, which is %d bytes long; a socket's path may have %d: give a shorter one with --etcd-socket", socket, len(socket), maxSocketPath)
	}
	for _, directory := range []string{filepath.Dir(socket), dataDir} {
		if err := os.MkdirAll(directory, 0o700); err != nil {
			return nil, fmt.Errorf("etcd's directory cannot be made: %w", err)
		}
	}
	binary, err := exec.LookPath(o.binary)
	if err != nil {
		return nil, fmt.Errorf("the program of etcd (%s) cannot be run: %w; give its path with --etcd-binary, or another etcd with --etcd-servers", o.binary, err)
	}
	endpoint := "unix://" + socket
	store := &etcdProcess{endpoint: endpoint, ended: make(chan struct{})}
	store.command = exec.Command(binary, append([]string{
		"--name=hub",
		"--data-dir=" + dataDir,
		"--listen-client-urls=" + endpoint,
		"--advertise-client-urls=" + etcdPeer,
		"--listen-peer-urls=" + etcdPeer,
		"--initial-advertise-peer-urls=" + etcdPeer,
		"--initial-cluster=hub=" + etcdPeer,
		// A single member votes for itself: nothing is gained by waiting a second for others.
		"--heartbeat-interval=50",
		"--election-timeout=500",
		"--quota-backend-bytes=8589934592",
		"--log-level=warn",
	}, o.args...)...)
	store.command.Dir = filepath.Dir(socket)
	store.command.Stdout = os.Stderr
	store.command.Stderr = os.Stderr
	// A group of its own: an interrupt from a terminal reaches this server, which then ends etcd last. And whatever kills
	// this server kills etcd, so that the next one finds its data free.
	store.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		// The signal above is sent when this thread ends, not when the process does.
		runtime.LockOSThread()
		err := store.command.Start()
		started <- err
		if err == nil {
			store.err = howItEnded(store.command.Wait())
			close(store.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("etcd (%s) cannot be started: %w", binary, err)
	}
	klog.InfoS("Started etcd", "pid", store.command.Process.Pid, "dataDir", dataDir, "socket", socket)
	return store, nil
}

// waitUntilHealthy returns once etcd serves. A client that calls before would wait seconds between its attempts.
func (e *etcdProcess) waitUntilHealthy(ctx context.Context) error {
	socket := strings.TrimPrefix(e.endpoint, "unix://")
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
	}}
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://etcd/health", nil)
		if err != nil {
			return err
		}
		if response, err := client.Do(request); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-e.ended:
			return fmt.Errorf("etcd ended while it was starting: %w; its messages are above", e.err)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func howItEnded(err error) error {
	if err == nil {
		return errors.New("by itself, without an error")
	}
	return err
}

// stop ends etcd, once this server has answered its last request. What was answered is on the disk; asked politely, etcd would
// wait seconds for the connections that this process still holds.
func (e *etcdProcess) stop() {
	_ = e.command.Process.Kill()
	<-e.ended
}
