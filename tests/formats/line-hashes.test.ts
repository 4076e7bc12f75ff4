import { lineHashes } from '../../src/formats/line-hashes.js';

const all = (text: string): (string | undefined)[] => {
  const lines = text.split(/\r\n|\r|\n/).map((_, index) => index + 1);
  const found = lineHashes(text, new Set(lines));
  return lines.map((line) => found.get(line));
};

const greetings = ['e9496ae3ebfced30:1', 'fb7c023a8b9ccb3f:1', 'ce8ba1a563dcdaca:1', 'e20e36e16fcb0cc8:1', 'b3edc88f2938467e:1', 'c8e28b0b4002a3a0:1', 'c129715d7a2bc9a3:1'];

describe("the hash of a line is GitHub's", () => {
  // What GitHub's upload action (github/codeql-action) expects of itself.
  it.each<[string, string[]]>([
    ['', ['c129715d7a2bc9a3:1']],
    [' a\nb\n  \t\tc\n d', ['271789c17abda88f:1', '54703d4cd895b18:1', '180aee12dab6264:1', 'a23a3dc5e078b07b:1']],
    [' hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End', ['8b7cf3e952e7aeb2:1', 'b1ae1287ec4718d9:1', 'bff680108adb0fcc:1', 'c6805c5e1288b612:1', 'b86d3392aea1be30:1', 'e6ceba753e1a442:1']],
    [' hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n', greetings],
    [' hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r', greetings],
    [' hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n', greetings],
    [' hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n', greetings],
    [
      'Lorem ipsum dolor sit amet.\n'.repeat(10),
      ['a7f2ff13bc495cf2:1', 'a7f2ff13bc495cf2:2', 'a7f2ff13bc495cf2:3', 'a7f2ff13bc495cf2:4', 'a7f2ff13bc495cf2:5', 'a7f2ff13bc495cf2:6', 'a7f2ff1481e87703:1', 'a9cf91f7bbf1862b:1', '55ec222b86bcae53:1', 'cc97dc7b1d7d8f7b:1', 'c129715d7a2bc9a3:1'],
    ],
  ])('for %j', (text, expected) => {
    expect(all(text)).toEqual(expected);
  });

  it('given for the lines that are asked for', () => {
    expect([...lineHashes(' a\nb\n  \t\tc\n d', new Set([2, 9]))]).toEqual([[2, '54703d4cd895b18:1']]);
  });

  it('found in linear time', () => {
    const text = 'const value = compute(value);\n'.repeat(20_000);
    const start = performance.now();
    lineHashes(text, new Set([1]));
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
