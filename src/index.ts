import type { DriverDescriptor } from './drivers/driver.js';
import { createPlugin, type AdvisoryLockPlugin } from './plugin.js';
import type { AdvisoryLockSettings } from './settings.js';

const plugin: AdvisoryLockPlugin = createPlugin();

/** Types for `eslint.config.ts`, reached through the plugin itself: it is all that a CommonJS module can export. */
declare namespace plugin {
  /** What `settings['advisory-lock']` may hold. */
  type Settings = AdvisoryLockSettings;
  /** One entry of `settings['advisory-lock'].drivers`. */
  type Driver = DriverDescriptor;
}

export default plugin;
