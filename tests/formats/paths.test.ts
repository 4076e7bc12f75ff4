import { fileUriOf, pathWithin, portablePath, uriOf } from '../../src/formats/paths.js';

describe('a path', () => {
  it.each<[string, string | null]>([
    ['/repo/src/a.ts', 'src/a.ts'],
    ['/repo/a.ts', 'a.ts'],
    ['/repo/..a/b.ts', '..a/b.ts'],
    ['/repo', null],
    ['/other/a.ts', null],
    ['/repository/a.ts', null],
  ])('is relative to the folder that it lies in: %s', (path, expected) => {
    expect(pathWithin('/repo', path)).toBe(expected);
    expect(portablePath('/repo', path)).toBe(expected ?? path);
  });

  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['b c/d#e?f.ts', 'b%20c/d%23e%3Ff.ts'],
    ['100%/ü.ts', '100%25/%C3%BC.ts'],
    ['[id]/(group)/a+b.ts', '%5Bid%5D/%28group%29/a%2Bb.ts'],
    ['a:b\\c.ts', 'a%3Ab%5Cc.ts'],
    ['\ud800.ts', '%EF%BF%BD.ts'],
  ])('is percent-encoded as a URI: %s', (path, expected) => {
    expect(uriOf(path)).toBe(expected);
    expect(() => decodeURIComponent(uriOf(path))).not.toThrow();
  });

  it.each([
    ['/work dir/a', 'file:///work%20dir/a'],
    ['/', 'file:///'],
    ['C:/work/a', 'file:///C:/work/a'],
    ['//server/share/a', 'file://server/share/a'],
  ])('is a file URI when it is absolute: %s', (path, expected) => {
    expect(fileUriOf(path)).toBe(expected);
    expect(new URL(expected).href).toBe(expected);
  });
});
