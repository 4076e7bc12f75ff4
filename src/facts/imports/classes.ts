import { resultOf } from '../../pass.js';
import { nodes } from '../../source/walk.js';
import type { ClassReader } from '../checker.js';
import { unknown } from '../values.js';
import { createAdoption } from './adoption.js';
import type { LinkedFiles } from './linked-files.js';

/** Finds the class that a type checker says an object is of, in the project's own files. */
export function createClassReader(links: LinkedFiles): ClassReader {
  const adopt = createAdoption(links);
  return (file, [start, end], name, at) => {
    const unit = links.fileAt(file);
    const found = unit && resultOf(nodes, unit).classes.find(({ id, range }) => id?.name === name && start <= range[0] && range[1] <= end);
    return found ? adopt({ type: 'instance', class: found, created: null }, at) : unknown;
  };
}
