"""Examples of support/diagnostics/Generate.def."""
from explain.kinds import file, shell

# A llama of made-up weights that has texts for its tokens, and executables of it.
WORDS = "python3 $LIT/gguf.py words -o story.gguf"
SHORT = (WORDS + " && yarrow import story.gguf --input-shape cache=16 -o ir && "
         "yarrow compile ir/story.txt -o short.bin")

EXAMPLES = {
    "E1301": file("line.txt", 'python3 $LIT/gguf.py words -o story.gguf '
                  '--set "$(sed -e \'s/ = /=/\' line.txt)" && yarrow generate story.gguf -p a'),
    "E1302": shell(WORDS + " --set llama.context_length=256"),
    "E1303": shell(WORDS),
    "W1304": shell(SHORT),
}
