/** Packages without declarations, as far as the tests call them. */
declare module 'massive' {
  const massive: (...given: unknown[]) => Promise<unknown>;
  export default massive;
}

declare module 'mysql' {
  const mysql: {
    createPool(settings: object): unknown;
    createConnection(settings: object): unknown;
  };
  export default mysql;
}
