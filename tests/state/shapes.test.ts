import { losses } from './describe.js';
import { driverShapes } from './driver-shapes.js';
import { pgShapes } from './shapes.js';

describe('locks written with node-postgres', () => {
  it.each(pgShapes.map((shape) => [shape.name, shape] as const))('%s', (_, { code, losses: expected }) => {
    expect(losses(code)).toEqual(expected ?? []);
  });
});

describe('locks written with other drivers', () => {
  it.each(driverShapes.map((shape) => [shape.name, shape] as const))('%s', (_, { code, losses: expected }) => {
    expect(losses(code)).toEqual(expected ?? []);
  });
});
