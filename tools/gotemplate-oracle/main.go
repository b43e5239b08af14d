// Command gotemplate-oracle renders templates with Go's own text/template, for the differential test of
// src/gotemplate.
//
// It reads one JSON object per line from standard input,
//
//	{"template": "…", "data": …, "functions": "builtin" | "sprig", "missingkey": "default" | "zero" | "error"}
//
// and writes one per line to standard output, in the same order,
//
//	{"out": "…"} or {"error": "…"}
//
// Whole numbers of the data are Go ints, others float64. With "sprig" come sprig's functions, toYaml, include, getOr
// and isSet.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

type request struct {
	Template   string          `json:"template"`
	Data       json.RawMessage `json:"data"`
	Functions  string          `json:"functions"`
	MissingKey string          `json:"missingkey"`
}

type response struct {
	Out   string `json:"out"`
	Error string `json:"error,omitempty"`
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 64<<20)
	output := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(output)
	for input.Scan() {
		var req request
		if err := json.Unmarshal(input.Bytes(), &req); err != nil {
			log.Fatalf("unreadable request: %v", err)
		}
		if err := encoder.Encode(answer(req)); err != nil {
			log.Fatal(err)
		}
		// Answers go out one by one, so that a template that brings Go down is the one after the last answer.
		if err := output.Flush(); err != nil {
			log.Fatal(err)
		}
	}
	if err := input.Err(); err != nil {
		log.Fatal(err)
	}
}

func answer(req request) response {
	data, err := decode(req.Data)
	if err != nil {
		log.Fatalf("unreadable data: %v", err)
	}
	out, err := render(req, data)
	if err != nil {
		return response{Error: err.Error()}
	}
	return response{Out: out}
}

// render turns a panic into an error with a text that no template engine has: such templates are not comparable.
func render(req request, data any) (out string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("PANIC: %v", r)
		}
	}()
	tmpl := template.New("t")
	if req.MissingKey != "" {
		tmpl.Option("missingkey=" + req.MissingKey)
	}
	if req.Functions == "sprig" {
		tmpl.Funcs(sprig.TxtFuncMap()).Funcs(manifestFunctions(tmpl))
	}
	if _, err := tmpl.Parse(req.Template); err != nil {
		return "", err
	}
	var text strings.Builder
	if err := tmpl.Execute(&text, data); err != nil {
		return "", err
	}
	return text.String(), nil
}

func manifestFunctions(tmpl *template.Template) template.FuncMap {
	return template.FuncMap{
		"toYaml": func(value any) string {
			text, err := yaml.Marshal(value)
			if err != nil {
				return ""
			}
			return strings.TrimSuffix(string(text), "\n")
		},
		"include": func(name string, data any) (string, error) {
			var text strings.Builder
			err := tmpl.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"getOr": func(values map[string]any, key, fallback string) any {
			if value, ok := values[key]; ok && value != "" {
				return value
			}
			return fallback
		},
		"isSet": func(values map[string]any, key string) any {
			if value, ok := values[key]; ok {
				return value
			}
			return false
		},
	}
}

func decode(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	var data any
	if err := decoder.Decode(&data); err != nil {
		return nil, err
	}
	return typed(data)
}

// typed gives numbers their Go types, and lists exactly the capacity that they need.
func typed(value any) (any, error) {
	switch value := value.(type) {
	case json.Number:
		if whole, err := strconv.ParseInt(value.String(), 10, 64); err == nil {
			return int(whole), nil
		}
		return value.Float64()
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			element, err := typed(item)
			if err != nil {
				return nil, err
			}
			list[i] = element
		}
		return list, nil
	case map[string]any:
		for key, item := range value {
			element, err := typed(item)
			if err != nil {
				return nil, err
			}
			value[key] = element
		}
		return value, nil
	default:
		return value, nil
	}
}
