// Command flux runs one pass of Flux's apply engine, as kustomize-controller drives it: ResourceManager.ApplyAll over
// the objects of a directory, four at a time, without a rate limit on the client's side.
//
//	flux DIR
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/normalize"
	"github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const concurrency = 4

func main() {
	if len(os.Args) != 2 {
		fail(errors.New("usage: flux DIR"))
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "flux:", err)
	os.Exit(1)
}

func run(ctx context.Context, directory string) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.QPS = -1
	api, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	objects, err := readDirectory(directory)
	if err != nil {
		return err
	}
	if err := normalize.UnstructuredList(objects); err != nil {
		return err
	}
	manager := ssa.NewResourceManager(api, nil, ssa.Owner{Field: "flux", Group: "flux.keelson.dev"})
	manager.SetConcurrency(concurrency)
	manager.SetOwnerLabels(objects, "bench", "kube-system")
	_, err = manager.ApplyAll(ctx, objects, ssa.DefaultApplyOptions())
	return err
}

func readDirectory(directory string) ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		opened, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		read, err := utils.ReadObjects(opened)
		opened.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, read...)
	}
	return objects, nil
}
