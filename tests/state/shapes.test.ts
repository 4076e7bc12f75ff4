import { losses } from './describe.js';
import { pgShapes } from './shapes.js';

describe('locks written with node-postgres', () => {
  it.each(pgShapes.map((shape) => [shape.name, shape] as const))('%s', (_, { code, losses: expected }) => {
    expect(losses(code)).toEqual(expected ?? []);
  });
});
