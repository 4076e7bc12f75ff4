import { createPlugin } from './plugin.js';

const plugin = createPlugin();

export default plugin;
