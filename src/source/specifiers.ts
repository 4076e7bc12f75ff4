/** Hosts that serve packages of the npm registry by name, with what may stand before the name in a path. */
const registries = /^https?:\/\/(?:esm\.(?:sh|run)|cdn\.skypack\.dev|unpkg\.com|jspm\.dev|cdn\.jsdelivr\.net\/npm)\/(?:(?:stable|v\d+)\/|\*)?/;

/** `@` and a version, or a range, after a package's name: `pg@8`, `@db/postgres@^0.19`. */
const version = /(?<=[^/:@])@[^/]*/;

/**
 * The package that an import specifier names, without how it is fetched: `pg` for `npm:pg@8`, `@supabase/supabase-js` for
 * `https://esm.sh/@supabase/supabase-js@2?target=deno`, `https://deno.land/x/postgres/mod.ts` for any version of it. A JSR
 * package keeps its `jsr:`, because npm has others of the same names. Other specifiers come back as they are.
 */
export function unversioned(specifier: string): string {
  const isRegistry = registries.test(specifier);
  const isUrl = isRegistry || specifier.startsWith('https://deno.land/x/');
  if (!isUrl && !/^(?:npm|jsr):/.test(specifier)) return specifier;
  const path = specifier.replace(registries, '').replace(/^(npm|jsr):\/?/, (_, scheme: string) => (scheme === 'jsr' ? 'jsr:' : ''));
  return path.replace(/[?#].*$/, '').replace(version, '');
}
