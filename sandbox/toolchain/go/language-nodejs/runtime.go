package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/blang/semver"
)

// nodeRuntime is the node executable of a program, and the script of @pulumi/pulumi that starts that program.
type nodeRuntime struct {
	node   string
	script string
}

// locator runs inside node, because only node knows how node resolves modules (NODE_PATH, links, stores, Plug'n'Play).
// It is plain old JavaScript on one line: it must also run in a node that is too old for everything else.
const locator = `var found={node:process.versions.node};` +
	`try{found.script=require.resolve(process.argv[1])}catch(e){found.code=e.code;found.message=e.message}` +
	`process.stdout.write(JSON.stringify(found))`

// location is what the locator prints.
type location struct {
	Node    string `json:"node"`
	Script  string `json:"script"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// findRuntime finds node and the module with which the program or plugin in dir is started, and checks that the two
// fit. Its errors say what is missing, where it was looked for, what was found there and what to do.
func (h *host) findRuntime(ctx context.Context, module, dir string) (nodeRuntime, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nodeRuntime{}, fmt.Errorf("node was not found: it is needed to run %s, and no directory of PATH has it\n"+
			"  PATH is %s\n  Install Node.js (https://nodejs.org) or add its directory to PATH.", dir, os.Getenv("PATH"))
	}

	cmd := h.command(ctx, node, "-e", locator, module)
	cmd.Dir = dir
	var out, complaints strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := start(cmd); err != nil {
		return nodeRuntime{}, fmt.Errorf("%s could not be started in %s: %w", node, dir, err)
	}
	var found location
	if err := errors.Join(cmd.Wait(), json.Unmarshal([]byte(out.String()), &found)); err != nil {
		return nodeRuntime{}, fmt.Errorf("%s could not look for %s in %s: %w\n%s",
			node, module, dir, err, strings.TrimSpace(complaints.String()))
	}
	if found.Script == "" {
		return nodeRuntime{}, found.missing(module, dir)
	}
	if err := checkVersion(node, found); err != nil {
		return nodeRuntime{}, err
	}
	return nodeRuntime{node: node, script: found.Script}, nil
}

// missing explains why a module could not be resolved from dir.
func (found location) missing(module, dir string) error {
	if found.Code != "MODULE_NOT_FOUND" {
		return fmt.Errorf("%s could not be loaded from %s: %s", module, dir, found.Message)
	}
	state := "there is no node_modules in it or above it"
	for at := dir; ; at = filepath.Dir(at) {
		modules := filepath.Join(at, "node_modules")
		if _, err := os.Stat(modules); err == nil {
			state = modules + " does not hold it"
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return fmt.Errorf("the Pulumi SDK was not found: %s is needed by %s, and %s\n"+
		"  Run `pulumi install` (or `npm install`) in %s; package.json there must name @pulumi/pulumi.",
		module, dir, state, dir)
}

// checkVersion holds node against what the program's own copy of @pulumi/pulumi asks for. Without this an old node
// fails somewhere inside the SDK with a syntax error.
func checkVersion(node string, found location) error {
	sdk := filepath.Join(filepath.Dir(found.Script), "..", "..", "package.json")
	var manifest struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Engines struct {
			Node string `json:"node"`
		} `json:"engines"`
	}
	content, err := os.ReadFile(sdk)
	if err != nil || json.Unmarshal(content, &manifest) != nil || manifest.Name != "@pulumi/pulumi" {
		return nil // A run path of one's own (PULUMI_LANGUAGE_NODEJS_RUN_PATH) makes no promise to check.
	}
	least, ok := strings.CutPrefix(strings.ReplaceAll(manifest.Engines.Node, " ", ""), ">=")
	if !ok {
		return nil
	}
	needed, err := semver.ParseTolerant(least)
	if err != nil {
		return nil
	}
	have, err := semver.ParseTolerant(found.Node)
	if err != nil || have.GTE(needed) {
		return nil
	}
	return fmt.Errorf("node is too old: @pulumi/pulumi %s in %s needs node %s, and %s is %s\n"+
		"  Install a newer Node.js (https://nodejs.org) and put it first in PATH.",
		manifest.Version, filepath.Dir(sdk), manifest.Engines.Node, node, found.Node)
}
