package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes/scheme"
)

// etcd takes no more operations in one transaction.
const batch = 128

type put struct {
	RequestPut struct {
		Key   []byte `json:"key"`
		Value []byte `json:"value"`
	} `json:"requestPut"`
}

// fill makes the Secrets from one number up to another. They go straight into etcd, as the API server would write them:
// through the API server, which spends 3 ms of processor time on each, 300,000 would take a quarter of an hour.
func fill(given options) error {
	client, err := etcdClient(given)
	if err != nil {
		return err
	}
	encoder := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	count := given.to - given.from
	return inParallel(given.workers, (count+batch-1)/batch, func(index int, random *rand.ChaCha8) error {
		first := given.from + index*batch
		puts := make([]put, 0, batch)
		for number := first; number < min(first+batch, given.to); number++ {
			secret := stored(makeSecret(given.namespace, number, given.bytes, random))
			var value bytes.Buffer
			if err := encoder.Encode(secret, &value); err != nil {
				return err
			}
			var one put
			one.RequestPut.Key = fmt.Appendf(nil, "/registry/secrets/%s/%s", secret.Namespace, secret.Name)
			one.RequestPut.Value = value.Bytes()
			puts = append(puts, one)
		}
		return transact(client, given.etcd, puts)
	})
}

// stored adds what the API server adds to an object that kubectl creates.
func stored(secret *corev1.Secret) *corev1.Secret {
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	secret.UID = uuid.NewUUID()
	secret.CreationTimestamp = now
	secret.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager:    "kubectl-create",
		Operation:  metav1.ManagedFieldsOperationUpdate,
		APIVersion: "v1",
		Time:       &now,
		FieldsType: "FieldsV1",
		FieldsV1: &metav1.FieldsV1{
			Raw: []byte(`{"f:data":{".":{},"f:value":{}},"f:metadata":{"f:labels":{".":{},"f:app.kubernetes.io/part-of":{}}},"f:type":{}}`),
		},
	}}
	secret.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Secret"})
	return secret
}

func transact(client *http.Client, etcd string, puts []put) error {
	body, err := json.Marshal(map[string]any{"success": puts})
	if err != nil {
		return err
	}
	response, err := client.Post(etcd+"/v3/kv/txn", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var said bytes.Buffer
	if _, err := said.ReadFrom(response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd answered %s: %s", response.Status, said.String())
	}
	return nil
}

func etcdClient(given options) (*http.Client, error) {
	pair, err := tls.LoadX509KeyPair(given.certificate, given.key)
	if err != nil {
		return nil, err
	}
	authority, err := os.ReadFile(given.authority)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("%s holds no certificate", given.authority)
	}
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots},
		MaxIdleConnsPerHost: given.workers,
	}
	return &http.Client{Transport: transport, Timeout: time.Minute}, nil
}
