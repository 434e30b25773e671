/** Beside the objects of a repository, or alone where there is none: what is known of folders that are saved by hash. It may be lost. */
export const notesFolder = "notes";
