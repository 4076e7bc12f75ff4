#!/usr/bin/env node
import { createPlugin } from '../plugin.js';

console.log(createPlugin().meta.version);
