/** A list as JSON text, indented as `JSON.stringify(list, null, 2)` would, one element at a time. `margin` stands before its lines. */
export function* jsonList(elements: Iterable<object>, margin = ''): Iterable<string> {
  let isFirst = true;
  for (const element of elements) {
    yield `${isFirst ? '[' : ','}\n${margin}  ${jsonText(element, `${margin}  `)}`;
    isFirst = false;
  }
  yield isFirst ? '[]' : `\n${margin}]`;
}

/** A value as indented JSON text; `margin` stands before every line but the first. Strings hold no line breaks as they are. */
export function jsonText(value: unknown, margin = ''): string {
  const text = JSON.stringify(value, null, 2);
  return margin === '' ? text : text.replaceAll('\n', `\n${margin}`);
}
