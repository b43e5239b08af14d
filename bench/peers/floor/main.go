// Command floor is what a pass costs with nothing around it: no discovery, no comparison, no prune.
//
//	floor DIR         server-side apply of every object in DIR, 16 at a time
//	floor -list DIR   one list for each kind that DIR holds, by label, from the API server's watch cache
//
// An applier cannot look at every object for less than the second costs, nor write every object for less than the first.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	workers      = 16
	fieldManager = "floor"
	selector     = "addonmanager.kubernetes.io/mode"
)

func main() {
	onlyList := flag.Bool("list", false, "list each kind instead of applying each object")
	flag.Parse()
	if err := run(context.Background(), flag.Arg(0), *onlyList); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, directory string, onlyList bool) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.QPS = -1 // No limit on the client's side.
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	objects, err := readDirectory(directory)
	if err != nil {
		return err
	}
	if onlyList {
		return listKinds(ctx, client, objects)
	}
	return applyAll(ctx, client, objects)
}

func readDirectory(directory string) ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		if objects, err = appendFile(objects, file); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return objects, nil
}

func appendFile(objects []*unstructured.Unstructured, file string) ([]*unstructured.Unstructured, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	documents := yaml.NewYAMLReader(bufio.NewReader(opened))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		var content map[string]any
		if err := yaml.Unmarshal(document, &content); err != nil {
			return nil, err
		}
		objects = append(objects, &unstructured.Unstructured{Object: content})
	}
}

// The load of the benchmark has regular plurals only.
func resourceOf(object *unstructured.Unstructured) schema.GroupVersionResource {
	kind := object.GroupVersionKind()
	return kind.GroupVersion().WithResource(strings.ToLower(kind.Kind) + "s")
}

func applyAll(ctx context.Context, client dynamic.Interface, objects []*unstructured.Unstructured) error {
	queue := make(chan *unstructured.Unstructured)
	failures := make(chan error, len(objects))
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for object := range queue {
				options := metav1.ApplyOptions{FieldManager: fieldManager, Force: true}
				resource := client.Resource(resourceOf(object)).Namespace(object.GetNamespace())
				if _, err := resource.Apply(ctx, object.GetName(), object, options); err != nil {
					failures <- err
				}
			}
		})
	}
	for _, object := range objects {
		queue <- object
	}
	close(queue)
	group.Wait()
	close(failures)
	return <-failures
}

func listKinds(ctx context.Context, client dynamic.Interface, objects []*unstructured.Unstructured) error {
	listed := map[schema.GroupVersionResource]bool{}
	for _, object := range objects {
		resource := resourceOf(object)
		if listed[resource] {
			continue
		}
		listed[resource] = true
		options := metav1.ListOptions{LabelSelector: selector, ResourceVersion: "0"}
		if _, err := client.Resource(resource).Namespace(object.GetNamespace()).List(ctx, options); err != nil {
			return err
		}
	}
	return nil
}
