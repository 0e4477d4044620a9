package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// update changes Secrets again and again, as fast as the server takes it, and notes when each change was accepted.
func update(ctx context.Context, given options) error {
	client, err := connect(given)
	if err != nil {
		return err
	}
	var lock sync.Mutex
	accepted := make([]sight, 0, given.updates)
	err = inParallel(given.workers, given.updates, func(index int, random *rand.ChaCha8) error {
		secret := makeSecret(given.namespace, index%given.to, given.bytes, random)
		found, err := client.CoreV1().Secrets(given.namespace).Update(ctx, secret, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		lock.Lock()
		accepted = append(accepted, sight{found.ResourceVersion, time.Now().UnixMicro()})
		lock.Unlock()
		return nil
	})
	if err != nil {
		return err
	}
	return writeSights(given.out, accepted)
}

func makeSecret(namespace string, number, size int, random *rand.ChaCha8) *corev1.Secret {
	value := make([]byte, size)
	// It never fails.
	_, _ = random.Read(value)
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace,
			Name:      fmt.Sprintf("secret-%07d", number),
			Labels:    map[string]string{"app.kubernetes.io/part-of": fmt.Sprintf("part-%d", number%100)},
		},
		Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{"value": value},
	}
}

func inParallel(workers, count int, work func(index int, random *rand.ChaCha8) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	problems := make(chan error, workers)
	for worker := range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			random := rand.NewChaCha8([32]byte{byte(worker), byte(time.Now().UnixNano())})
			for {
				index := int(next.Add(1)) - 1
				if index >= count {
					return
				}
				if err := work(index, random); err != nil {
					problems <- err
					return
				}
			}
		}()
	}
	group.Wait()
	close(problems)
	return <-problems
}
