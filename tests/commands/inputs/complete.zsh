# complete.zsh SCRIPT LINE: what an interactive zsh lists for the line and a Tab, one word a line.
zmodload zsh/zpty
zpty shell "PS1= zsh -f -i"
zpty -w shell "PS1='<ready>'; autoload -Uz compinit; compinit -u -D; source $1; compdef _flyc flyc; zstyle ':completion:*' list-prompt ''; LISTMAX=0; setopt no_list_ambiguous; stty cols 200"
sleep 1
zpty -n -w shell "$2"$'\t\t'
sleep 1
zpty -r shell output
print -r -- "$output" | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g'
