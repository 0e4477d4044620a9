package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

type sight struct {
	version string
	at      int64
}

// inform follows a resource and answers the questions that the benchmark asks on standard input, as every contender does.
func inform(given options) error {
	client, err := connect(given)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(given.namespace))
	informer := factory.Core().V1().Secrets().Informer()
	if given.resource == "configmaps" {
		informer = factory.Core().V1().ConfigMaps().Informer()
	}
	// What our cache does by default.
	if err := informer.SetTransform(dropManagedFields); err != nil {
		return err
	}
	seen := make([]sight, 0, 32_768)
	synced := false
	note := func(object any) {
		if !synced {
			return
		}
		if found, err := meta.Accessor(object); err == nil {
			seen = append(seen, sight{found.GetResourceVersion(), time.Now().UnixMicro()})
		}
	}
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    note,
		UpdateFunc: func(_, after any) { note(after) },
	})
	if err != nil {
		return err
	}
	before := heap()
	cpu := processor()
	start := time.Now()
	stop := make(chan struct{})
	factory.Start(stop)
	// The registration is synced when the handler has heard of everything, as ours is. client-go's own way to wait for it
	// looks every 100 ms, which would be a third of a short list's time.
	for !registration.HasSynced() {
		time.Sleep(time.Millisecond)
	}
	answer(map[string]any{
		"synced": map[string]any{
			"objects":    len(informer.GetStore().ListKeys()),
			"seconds":    time.Since(start).Seconds(),
			"cpuSeconds": processor() - cpu,
		},
	})
	synced = true
	questions := bufio.NewScanner(os.Stdin)
	for questions.Scan() {
		switch questions.Text() {
		case "heap":
			answer(map[string]any{"heap": heap() - before})
		case "count":
			answer(map[string]any{"count": len(seen)})
		case "cpu":
			answer(map[string]any{"cpu": processor()})
		case "seen":
			if err := writeSights(given.out, seen); err != nil {
				return err
			}
			answer(map[string]any{"seen": len(seen)})
		}
	}
	runtime.KeepAlive(informer)
	return questions.Err()
}

func dropManagedFields(object any) (any, error) {
	if found, err := meta.Accessor(object); err == nil {
		found.SetManagedFields(nil)
	}
	return object, nil
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var found runtime.MemStats
	runtime.ReadMemStats(&found)
	return int64(found.HeapAlloc)
}

func processor() float64 {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

func answer(value any) {
	text, err := json.Marshal(value)
	fail(err)
	fmt.Println(string(text))
}

func writeSights(path string, sights []sight) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	for _, each := range sights {
		fmt.Fprintf(out, "%s %d\n", each.version, each.at)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}
