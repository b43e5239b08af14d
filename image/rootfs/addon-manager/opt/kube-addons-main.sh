#!/bin/bash
# The entry of the original addon manager's image, so that its manifests start Keelson unchanged.
exec /usr/bin/node --max-semi-space-size=1 /usr/lib/keelson/dist/keelson.js run "$@"
