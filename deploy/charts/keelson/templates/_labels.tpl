{{- define "keelson.labels" -}}
app.kubernetes.io/name: {{ .Values.name }}
app.kubernetes.io/part-of: keelson
{{- end -}}
