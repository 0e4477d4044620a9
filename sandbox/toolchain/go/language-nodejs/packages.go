package main

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/logging"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// GetRequiredPackages names the provider plugins that belong to the installed npm packages of a program, so that the
// engine can fetch them before the program asks for them. What cannot be read is passed over: a plugin that is missing
// here is still found when the program registers its first resource.
func (h *host) GetRequiredPackages(
	_ context.Context, req *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	search := packageSearch{seen: map[string]bool{}}
	search.program(req.GetInfo().GetProgramDirectory())
	return &pulumirpc.GetRequiredPackagesResponse{Packages: search.found}, nil
}

// packageSearch collects packages; seen holds real paths, because workspaces and pnpm link packages in circles.
type packageSearch struct {
	seen  map[string]bool
	found []*pulumirpc.PackageDependency
}

// program looks for node_modules in a directory of source code and everything below it. Hidden directories hold no
// program, but can hold half a file system (.git, caches); a policy pack's packages are not the program's.
func (s *packageSearch) program(dir string) {
	if s.visited(dir) || isPolicyPack(dir) {
		return
	}
	for _, name := range directories(dir) {
		path := filepath.Join(dir, name)
		switch {
		case name == "node_modules":
			s.modules(path)
		case !strings.HasPrefix(name, "."):
			s.program(path)
		}
	}
}

// modules looks through a node_modules directory, or a directory of packages inside of one: a scope (@pulumi) or the
// store of a package manager (.pnpm, .bun, .store).
func (s *packageSearch) modules(dir string) {
	if s.visited(dir) {
		return
	}
	for _, name := range directories(dir) {
		path := filepath.Join(dir, name)
		if strings.HasPrefix(name, "@") || strings.HasPrefix(name, ".") {
			s.modules(path)
		} else {
			s.pkg(path)
		}
	}
}

// pkg reads one installed package and the packages nested in it.
func (s *packageSearch) pkg(dir string) {
	if s.visited(dir) {
		return
	}
	if dependency := readPackage(filepath.Join(dir, "package.json")); dependency != nil {
		s.found = append(s.found, dependency)
	}
	s.modules(filepath.Join(dir, "node_modules"))
}

func (s *packageSearch) visited(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || s.seen[real] {
		return true
	}
	s.seen[real] = true
	return false
}

// readPackage gives the plugin that a package.json asks for, or nil.
func readPackage(path string) *pulumirpc.PackageDependency {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var manifest struct {
		Name    string                  `json:"name"`
		Version string                  `json:"version"`
		Pulumi  plugin.PulumiPluginJSON `json:"pulumi"`
	}
	if err := json.Unmarshal(content, &manifest); err != nil {
		logging.V(3).Infof("%s is not a valid package.json: %v", path, err)
		return nil
	}
	about := manifest.Pulumi
	if !about.Resource {
		return nil
	}
	// Only Pulumi's own packages may leave their plugin's name out.
	own, isOwn := strings.CutPrefix(manifest.Name, "@pulumi/")
	name, number := about.Name, cmp.Or(about.Version, manifest.Version)
	if name == "" && isOwn {
		name = own
	}
	if name == "" || number == "" {
		logging.V(3).Infof("%s asks for a plugin without saying its name and version (pulumi.name, pulumi.version)", path)
		return nil
	}
	return &pulumirpc.PackageDependency{
		Kind:             "resource",
		Name:             name,
		Version:          "v" + strings.TrimPrefix(number, "v"),
		Server:           about.Server,
		Parameterization: parameterization(about.Parameterization),
		Extension:        parameterization(about.ExtensionParameterization),
	}
}

func parameterization(given *plugin.PulumiParameterizationJSON) *pulumirpc.PackageParameterization {
	if given == nil {
		return nil
	}
	return &pulumirpc.PackageParameterization{Name: given.Name, Version: given.Version, Value: given.Value}
}

func isPolicyPack(dir string) bool {
	for _, extension := range []string{".yaml", ".yml", ".json"} {
		if _, err := os.Stat(filepath.Join(dir, "PulumiPolicy"+extension)); err == nil {
			return true
		}
	}
	return false
}

// directories lists the directories in dir, links to directories included.
func directories(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		isDir := entry.IsDir()
		if entry.Type()&os.ModeSymlink != 0 {
			target, err := os.Stat(filepath.Join(dir, entry.Name()))
			isDir = err == nil && target.IsDir()
		}
		if isDir {
			names = append(names, entry.Name())
		}
	}
	return names
}
