/** Whether this is the name of a file that is still being written (Files.write, Within.write), or that a killed process left behind. */
export const isDraft = (name: string): boolean => /^\..+\.\d+(-[0-9a-z]+)?\.\d+\.tmp$/.test(name);
