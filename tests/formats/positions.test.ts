import { createPositions } from '../../src/formats/positions.js';

describe('a position', () => {
  it.each<[string, string, number, [number, number, number]]>([
    ['the beginning', 'abc', 0, [1, 1, 1]],
    ['the end', 'abc', 3, [1, 4, 4]],
    ['nothing', '', 0, [1, 1, 1]],
    ['behind a line break', 'a\nb', 2, [2, 1, 1]],
    ['at a line break', 'ab\ncd', 2, [1, 3, 3]],
    ['behind a Windows line break', 'a\r\nb', 3, [2, 1, 1]],
    ['behind characters of two, three and four bytes', 'é€😀x', 4, [1, 5, 10]],
    ['behind characters of the line before', 'é€😀\nx', 6, [2, 2, 2]],
    // ESLint counts lines here, Git does not.
    ['behind a line separator', 'a\u2028b', 2, [1, 3, 5]],
    ['behind a lone carriage return', 'a\rb', 2, [1, 3, 3]],
    ['behind the end', 'a\nb', 99, [2, 2, 2]],
    ['before the beginning', 'a\nb', -1, [1, 1, 1]],
  ])('is counted for %s', (_, text, offset, [line, column, byteColumn]) => {
    const positions = createPositions(text);
    expect({ ...positions.at(offset), byteColumn: positions.byteColumn(offset) }).toEqual({ line, column, byteColumn });
  });

  it('is found in long texts, too', () => {
    const positions = createPositions('x\n'.repeat(100_000));
    for (let line = 1; line <= 100_000; line += 997) expect(positions.at((line - 1) * 2 + 1)).toEqual({ line, column: 2 });
  });
});
